// What Adyen says of a card that it keeps: a stored payment method of a shopper, as Adyen's own fields in the merchant's page make it. API
// reference, GET /storedPaymentMethods.

import type { CardBrand } from "../../payment/card-brand.ts";
import type { KeptToken } from "../../payment/instrument.ts";
import type { TokenAnswer } from "../processor.ts";
import type { Api } from "./api.ts";
import type { WholeSettings } from "./settings.ts";

/** docs.adyen.com/development-resources/paymentmethodvariant, without the variants of wallets and issuers. */
const BRANDS: Readonly<Record<string, CardBrand>> = {
  ...{ visa: "visa", mc: "mastercard", amex: "amex", discover: "discover", diners: "diners", jcb: "jcb" },
  ...{ cup: "unionpay", maestro: "maestro", elo: "elo", hipercard: "hipercard" },
};

export async function describeToken(
  api: Api,
  { token, customer }: KeptToken,
  { merchant_account: merchantAccount }: WholeSettings,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  // API reference, shopperReference: 3 to 256 characters.
  if (customer === undefined || customer.length < 3 || customer.length > 256)
    return { kind: "wrong", field: "processor_customer", why: "Adyen asks for the shopperReference" };
  const query = new URLSearchParams({ merchantAccount, shopperReference: customer });
  const answer = await api.look(`/storedPaymentMethods?${query}`, signal);
  if (answer.kind === "refused") return { kind: "wrong", field: "processor_customer", why: answer.message };
  if (answer.kind !== "told") return answer;
  const { storedPaymentMethods: all } = answer.body;
  if (!Array.isArray(all)) return { kind: "unanswered", why: "an answer without storedPaymentMethods" };
  const found = all.find((one: Stored | null) => one?.id === token.reveal()) as Stored | undefined;
  const [, year] = /^(?:20)?(\d{2})$/.exec(String(found?.expiryYear ?? "")) ?? [];
  const [, month] = /^0?(\d{1,2})$/.exec(String(found?.expiryMonth ?? "")) ?? [];
  const { lastFour, brand, cardBin } = found ?? {};
  if (typeof lastFour !== "string" || !/^\d{4}$/.test(lastFour) || month === undefined || year === undefined)
    return { kind: "wrong", field: "processor_token", why: "there is no such card" };
  return {
    kind: "described",
    customer,
    card: {
      brand: (typeof brand === "string" ? BRANDS[brand] : undefined) ?? "unknown",
      lastFour,
      expiryMonth: month.padStart(2, "0"),
      expiryYear: `20${year}`,
      ...(typeof cardBin === "string" && /^\d{6,8}$/.test(cardBin) && { firstSix: cardBin.slice(0, 6) }),
    },
  };
}

/** Of StoredPaymentMethodResource what is read; each of it may be missing. */
interface Stored {
  readonly id?: unknown;
  readonly lastFour?: unknown;
  readonly brand?: unknown;
  readonly cardBin?: unknown;
  readonly expiryMonth?: unknown;
  readonly expiryYear?: unknown;
}
