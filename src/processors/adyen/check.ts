// Whether the account at Adyen is set up as the gateway needs it, by questions that can move no money.

import type { Check } from "../processor.ts";
import type { Api, ApiAnswer } from "./api.ts";
import type { WholeSettings } from "./settings.ts";

export async function checkAccount(api: Api, settings: WholeSettings, signal: AbortSignal): Promise<readonly Check[]> {
  const account = await api.askOnce("/paymentMethods", { merchantAccount: settings.merchant_account }, null, signal);
  const checks: Check[] = [accountCheck(account, settings)];
  if (account.kind === "told") {
    checks.push(schemesCheck(account.body), rawCardCheck(await rawCardQuestion(api, settings, signal)));
  }
  return [...checks, WEBHOOK];
}

function accountCheck(answer: ApiAnswer, { merchant_account }: WholeSettings): Check {
  const what = "API key and merchant account";
  if (answer.kind === "told") return { what, result: "ok", detail: `Adyen takes the key for ${merchant_account}` };
  if (answer.kind === "refused")
    return { what, result: "wrong", detail: `Adyen refuses merchant_account ${merchant_account}: ${answer.message}` };
  const why = "why" in answer ? answer.why : "";
  if (/^HTTP 401/.test(why))
    return {
      what,
      result: "wrong",
      detail: "Adyen does not know the API key: set api_key anew, of this platform (test or live)",
    };
  if (/^HTTP 403 901/.test(why))
    return {
      what,
      result: "wrong",
      detail: `the API key is not for merchant_account ${merchant_account}, or it is misspelt`,
    };
  if (/^HTTP 403/.test(why))
    return { what, result: "wrong", detail: `the API credential lacks the role "Checkout webservice role": ${why}` };
  if (/^HTTP 404/.test(why))
    return {
      what,
      result: "wrong",
      detail: "there is no such API at that address: look at live_url_prefix or base_url",
    };
  return { what, result: "unknown", detail: `Adyen was not reached: ${why}` };
}

function schemesCheck({ paymentMethods }: Readonly<Record<string, unknown>>): Check {
  const what = "cards";
  const methods: readonly unknown[] = Array.isArray(paymentMethods) ? paymentMethods : [];
  const cards = methods.some(
    (one) => typeof one === "object" && one !== null && "type" in one && one.type === "scheme",
  );
  return cards
    ? { what, result: "ok", detail: "the merchant account takes cards" }
    : { what, result: "wrong", detail: "no cards are enabled: add them under Settings, Payment methods" };
}

/** A number that no card can have: at most it is found to be wrong. */
const rawCardQuestion = (api: Api, settings: WholeSettings, signal: AbortSignal): Promise<ApiAnswer> => {
  const paymentMethod = { type: "scheme", number: "4000", expiryMonth: "01", expiryYear: "2020" };
  const { merchant_account: merchantAccount, return_url: returnUrl } = settings;
  const body = { merchantAccount, returnUrl, paymentMethod, reference: "check", amount: { currency: "EUR", value: 0 } };
  return api.askOnce("/payments", body, null, signal);
};

/** docs.adyen.com/development-resources/error-codes: 010 is a role that is missing; a number that was read is 101 or 102. */
function rawCardCheck(answer: ApiAnswer): Check {
  const what = "full card numbers";
  if (answer.kind === "refused" && ["101", "102"].includes(answer.errorCode))
    return { what, result: "ok", detail: "the API credential may send them" };
  if (answer.kind === "not-sent" && /^HTTP 403/.test(answer.why))
    return {
      what,
      result: "wrong",
      detail: `the credential may not send them: ask Adyen's support for the role "API PCI Payments role" (${answer.why})`,
    };
  const said =
    answer.kind === "refused" ? `${answer.errorCode} ${answer.message}` : "why" in answer ? answer.why : "an answer";
  return { what, result: "unknown", detail: `it shows with the first charge; Adyen said: ${said}` };
}

const WEBHOOK: Check = {
  what: "webhooks",
  result: "unknown",
  detail: "send a test from the Customer Area (Developers, Webhooks): it must be answered with [accepted]",
};
