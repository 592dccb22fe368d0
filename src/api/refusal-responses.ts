// What each refusal of the rules says to the caller, and with which HTTP status. A test keeps this list, the rules' list
// and the docs in step.

import { DISPUTE_REFUSALS } from "../merchants/disputes/refusal-texts.ts";
import { MOST_EVENTS } from "../payment/event-limit.ts";
import { renderAmount } from "../payment/money.ts";
import type { Refusal, RefusalName, Refused } from "../payment/refusal.ts";
import { type FaultStatus, REFUSAL_HEADER, RequestFault } from "./request-fault.ts";

interface RefusalResponse {
  readonly status: FaultStatus;
  readonly text: string;
}

const refused = (text: string): RefusalResponse => ({ status: 422, text });

export const REFUSAL_RESPONSES: Record<RefusalName, RefusalResponse> = {
  "processor-unknown": refused("There is no such processor."),
  "processor-disabled": refused("This processor is switched off."),
  "brand-not-taken": refused("The processor does not take cards of this brand."),
  "currency-differs": refused("No available processor charges in this currency."),
  "currency-ambiguous": refused(
    "Processors with different currencies can take this charge. Send a currency or a processor_id.",
  ),
  "amount-not-in-currency": refused(
    "The currency of this charge has no hundredths: the amount must be whole, like 1000.00.",
  ),
  "processor-cannot-express": refused("The processor cannot express this"),
  "no-processor-in-rotation": refused("No processor is in rotation. Send a processor_id."),
  "cvv-required": refused("The processor requires the CVV of this card."),
  "name-required": refused("The processor requires a name of two characters or more."),
  "document-required": refused("The processor requires a CPF or CNPJ with correct check digits."),
  "card-testing-suspected": {
    status: 429,
    text: "Too many different cards with small amounts. Try again later; nothing reached the processor.",
  },
  "card-unknown": { status: 404, text: "There is no such card." },
  "stored-card-unknown": refused("There is no such card on file."),
  "own-card-number": refused("This must not hold the number of the card that is charged."),
  "card-numbers-forbidden": refused(
    "Card numbers and CVVs are forbidden here. Charge a card that its processor keeps, by its card_id.",
  ),
  "card-of-another-processor": refused("Another processor keeps this card: it can only be charged there."),
  "consent-expired": refused("The payer's consent to charge this card has ended."),
  "consent-used-up": refused("The payer agreed to no further charge of this card."),
  "consent-in-other-currency": refused("The payer agreed to charges in another currency."),
  "consent-exceeded": refused("More than the payer agreed to for one charge"),
  "consent-exceeded-in-period": refused("More than is left of what the payer agreed to for this period"),
  "processor-keeps-no-cards": refused("This processor keeps no cards: store the card by its number."),
  "token-unknown": refused("The processor has no such card, or not of this customer."),
  "token-not-checked": {
    status: 503,
    text: "The processor did not say what card this is. Nothing was stored; try again in a moment.",
  },
  "processor-cannot-verify": refused("This processor cannot verify a card without charging it."),
  "verification-not-answered": {
    status: 503,
    text: "The processor did not say whether the card is good. No money moved, and nothing was stored; try again in a moment.",
  },
  "card-declined": refused("The card's issuer, or the processor, does not accept the card, and it was not stored"),
  "plan-unknown": { status: 404, text: "There is no such plan." },
  "plan-ended": refused("All payments of this plan were charged, canceled or have failed."),
  "payment-too-small": refused("This payment is too small: each leg needs a part of it."),
  "amount-required": refused("Required: with airline data, the sum of the passengers' amounts."),
  "passengers-required": refused(
    "Required: this transaction has passengers. Send each passenger's share of the amount.",
  ),
  "passenger-unknown": refused("This transaction has no such passenger."),
  "passenger-repeated": refused("Each passenger may be named once."),
  "shares-differ-from-amount": refused("The amount is not the sum of the passengers' amounts"),
  "share-exceeds-passenger": refused("More than is possible for this passenger now"),
  "transaction-unknown": { status: 404, text: "There is no such transaction." },
  "transaction-archived": {
    status: 404,
    text: "This transaction is archived. The operator of the gateway can restore it.",
  },
  "charge-not-approved": refused("The charge was not approved: there is no money to move."),
  "sale-is-captured": refused("A sale is captured already."),
  "processor-captures-once": refused("The processor of this transaction allows only one capture."),
  "nothing-left-to-capture": refused("Nothing is left to capture."),
  "capture-exceeds-authorization": refused("More than is left of the authorization"),
  // Specification 7.
  "void-after-settlement": refused("A settled transaction cannot be voided. Use a refund."),
  "nothing-left-to-void": refused("Nothing is left to void."),
  "processor-voids-whole-payments": refused(
    "The processor voids whole payments only, and part of this was captured, voided or refunded, or it was captured in several parts. What was captured can be refunded when actions.refund allows it; what was not lapses by itself.",
  ),
  "void-exceeds-remaining": refused("More than is left to void"),
  "void-must-be-whole": refused("A partial void is not possible here. Void all that is left"),
  "nothing-captured": refused(
    "Nothing was captured, so there is nothing to refund. What is still authorized can be voided.",
  ),
  "nothing-left-to-refund": refused("Nothing is left to refund."),
  "refund-exceeds-captured": refused("More than is left to refund"),
  "refund-before-settlement": refused(
    "This transaction has not settled, so it cannot be refunded yet. Use a void if actions.void allows one, or wait until actions.refund.from.",
  ),
  "refund-exceeds-settled": refused("Part of this has not settled and cannot be refunded yet. Refund the rest"),
  "partial-refund-inside-window": refused(
    "The settlement is in progress, and a partial refund is only possible after it. Refund all, or at most what settled earlier, or wait.",
  ),
  "reversal-before-settlement": refused(
    "No void is possible here, and not all that is left can be refunded yet. Wait until actions.reversal.from, or refund what actions.refund allows.",
  ),
  "nothing-left-to-reverse": refused("Nothing is left to give back."),
  "too-many-events": refused(
    `The transaction has reached its limit of ${MOST_EVENTS.followUp} events. A reversal can still give back what is left.`,
  ),
  "card-number-not-kept": refused(
    "The processor needs the card number for this, and it is not stored: the charge is too old, or from before the processor needed it.",
  ),
  "operation-in-flight": {
    status: 409,
    text: "Another operation on this transaction is in flight. Try again in a moment.",
  },
  "disputed-charge-not-approved": refused(DISPUTE_REFUSALS["disputed-charge-not-approved"]),
  "dispute-before-charge": refused(DISPUTE_REFUSALS["dispute-before-charge"]),
  "inquiry-moves-no-money": refused(DISPUTE_REFUSALS["inquiry-moves-no-money"]),
  "withdrawn-exceeds-disputed": refused(DISPUTE_REFUSALS["withdrawn-exceeds-disputed"]),
  "withdrawn-in-other-currency": refused(DISPUTE_REFUSALS["withdrawn-in-other-currency"]),
  "nothing-captured-to-withdraw": refused(DISPUTE_REFUSALS["nothing-captured-to-withdraw"]),
  "withdrawn-exceeds-captured": refused(DISPUTE_REFUSALS["withdrawn-exceeds-captured"]),
  "key-of-another-request": refused("This idempotency key was used for another request."),
  "key-in-use": {
    status: 409,
    text: "The first request with this idempotency key is still in flight. Try again in a moment.",
  },
};

/** Seconds. */
const RETRY_AFTER: Partial<Record<FaultStatus, Readonly<Record<string, string>>>> = {
  409: { "retry-after": "1" },
  429: { "retry-after": "600" },
};

/** The response to what the rules refuse. */
export function refusalFault({ refusals }: Refused): RequestFault {
  const messages: Record<string, string[]> = {};
  for (const refusal of refusals) messages[refusal.field] = [...(messages[refusal.field] ?? []), textOf(refusal)];
  const { status } = REFUSAL_RESPONSES[refusals[0].name];
  const names = new Set(refusals.map(({ name }) => name));
  const headers = { [REFUSAL_HEADER]: [...names].join(", "), ...RETRY_AFTER[status] };
  return new RequestFault(status, messages, headers, refusals[0].name);
}

function textOf({ name, most, sum, limit, currency, rightInCapitals }: Refusal): string {
  if (rightInCapitals) return "The letters of a CNPJ must be capitals.";
  if (limit !== undefined) return `${REFUSAL_RESPONSES[name].text}: ${limit}.`;
  if (currency !== undefined) return `This processor charges in ${currency}.`;
  const { text } = REFUSAL_RESPONSES[name];
  if (sum !== undefined) return `${text}, which is ${renderAmount(sum)}.`;
  if (most === undefined) return text;
  // Less is not possible either.
  const atMost = name === "void-must-be-whole" ? "" : "at most ";
  return `${text}: ${atMost}${renderAmount(most)}.`;
}
