// When each refusal of the rules happens, and what to do after it: for docs/refusals.md, docs/errors.md and the page at
// /docs/errors. What stands in backticks is shown as code.

import type { RefusalName } from "../payment/refusal.ts";

export const AFTER_REFUSAL: Readonly<Record<RefusalName, string>> = {
  "processor-unknown": "Send an id that GET /api/processors lists, or none.",
  "processor-disabled": "Send another processor_id, or none; or ask the operator to enable the record.",
  "brand-not-taken": "Ask for another card, or send the id of a processor record that takes the brand.",
  "currency-differs": "Send the currency that GET /api/processors shows for the record, or none.",
  "currency-ambiguous": "Send currency or processor_id.",
  "amount-not-in-currency": "Send a whole amount, like 1000 or 1000.00.",
  "processor-cannot-express": "Send a value within the limit that the text names, or choose another processor.",
  "no-processor-in-rotation": "Send a processor_id, or ask the operator to put a record in rotation.",
  "cvv-required": "Send card_cvv.",
  "name-required": "Send first_name and last_name, each of two characters or more.",
  "document-required":
    "Send document_number: a CPF or CNPJ with correct check digits, and the letters of a CNPJ in capitals.",
  "card-testing-suspected":
    "Wait as Retry-After says. If your customers are genuine, ask the operator to change the limits.",
  "card-unknown": "Check the id. A card that was deleted, or is another merchant's, is not there: list your cards.",
  "stored-card-unknown": "Send the id of a card that GET /api/cards lists, or the card's number and expiry.",
  "own-card-number": "Leave the card's number out: of this field, or of Idempotency-Key.",
  "card-numbers-forbidden":
    "Store the card by processor_id and processor_token, and charge it by its card_id. Your operator can change the setting card_numbers.",
  "card-of-another-processor": "Leave processor_id out, or send the processor_id that the card shows.",
  "consent-expired":
    "Ask the payer: a charge with the payer there needs no consent. Then give the card a new one (PATCH).",
  "consent-used-up":
    "Ask the payer: a charge with the payer there needs no consent. Then give the card a new one (PATCH).",
  "consent-in-other-currency": "Charge in the currency of the card's consent, by a record that has it.",
  "consent-exceeded": "Charge at most the amount that the text names, or ask the payer.",
  "consent-exceeded-in-period":
    "Charge at most the amount that the text names, or wait for the next day, week, month or year (UTC), or ask the payer.",
  "processor-keeps-no-cards": "Send card_number with its expiry, or the id of a record at Stripe or Adyen.",
  "token-unknown":
    "Send the token as the processor gave it, and the customer that it belongs to there: at Stripe a payment method (pm_…) that is attached to a customer, at Adyen a storedPaymentMethodId with its shopperReference.",
  "token-not-checked":
    "Send the request again in a moment. If it goes on, check the processor record (faregate processor check).",
  "processor-cannot-verify": "Send the processor_id of a record of another kind, or none.",
  "verification-not-answered":
    "Send the request again in a moment: nothing is known of the card, and nothing was done. If it goes on, check the processor record (faregate processor check).",
  "card-declined": "Ask for another card. The text has the processor's code and message.",
  "plan-unknown": "Check the id: list your plans.",
  "plan-ended": "Nothing has to be canceled or moved. Make another plan for what is still to be charged.",
  "payment-too-small": "Make the payment larger, or send fewer legs: each payment is charged with a part of each fare.",
  "amount-required": "Send amount: the sum of the passengers' amounts.",
  "passengers-required": "Send passenger_transport with a passenger_id and an amount for each.",
  "passenger-unknown": "Send a passenger_id that the transaction shows.",
  "passenger-repeated": "Add up what this passenger gets, and name the passenger once.",
  "shares-differ-from-amount": "Make amount the sum of the passengers' amounts, to the cent.",
  "share-exceeds-passenger":
    "Send at most the amount that the text names. Money that has not settled may be refunded later, or voided: see actions.",
  "transaction-unknown": "Check the id, and that the token belongs to the merchant of the transaction.",
  "transaction-archived": "Ask the operator to restore it, or give the money back by another way than the card.",
  "charge-not-approved": "Nothing has to be captured or given back. Charge again if the customer still wants to pay.",
  "sale-is-captured": "Leave the capture out: a sale has captured already.",
  "processor-captures-once": "Charge the rest with a new sale.",
  "nothing-left-to-capture": "Look the transaction up: all of it was captured or voided.",
  "capture-exceeds-authorization": "Capture at most the amount that the text names.",
  "void-after-settlement": "Use a refund, or a reversal, which chooses by itself.",
  "nothing-left-to-void": "Look the transaction up: all of it was voided, or refunded already.",
  "processor-voids-whole-payments":
    "Refund what was captured when actions.refund allows it. What was not captured lapses by itself.",
  "void-exceeds-remaining": "Void at most the amount that the text names.",
  "void-must-be-whole": "Leave the amount out: all that is left is voided.",
  "nothing-captured": "Use a void, or a reversal, which chooses by itself.",
  "nothing-left-to-refund": "Look the transaction up: all of it was voided or refunded.",
  "refund-exceeds-captured": "Refund at most the amount that the text names.",
  "refund-before-settlement":
    "Use a void if actions.void allows one, or a reversal, which chooses by itself; or refund after actions.refund.from.",
  "refund-exceeds-settled":
    "Refund at most the amount that the text names. Void the rest if actions.void allows it, or wait until it has settled.",
  "partial-refund-inside-window": "Refund everything, or at most what settled earlier, or wait until all has settled.",
  "reversal-before-settlement": "Wait until actions.reversal.from, or refund what actions.refund allows.",
  "nothing-left-to-reverse": "Look the transaction up: nothing is left to give back.",
  "too-many-events": "Use a reversal to give back what is left.",
  "card-number-not-kept": "Do it at the processor, with its own tools.",
  "operation-in-flight": "Wait as Retry-After says, then look the transaction up or try again.",
  "disputed-charge-not-approved":
    "Check the transaction. If the processor has taken money for it, resolve the operation first, or ask the processor.",
  "dispute-before-charge": "Check the year and the transaction.",
  "inquiry-moves-no-money": "Enter the stage `chargeback` if money was withdrawn, or 0.00.",
  "withdrawn-exceeds-disputed": "Enter what was withdrawn without fees, or the amount that is disputed now.",
  "withdrawn-in-other-currency":
    "Enter both amounts in the currency of the payment, as the processor's statement has them.",
  "nothing-captured-to-withdraw": "Enter 0.00, or check the transaction.",
  "withdrawn-exceeds-captured": "Enter at most the amount that the text names, without fees.",
  "key-of-another-request": "Use a new key for a new request. To repeat one, send exactly the same body.",
  "key-in-use": "Wait as Retry-After says, then send the same request with the same key.",
};

export const WHEN_REFUSED: Readonly<Record<RefusalName, string>> = {
  "processor-unknown": "This merchant has no record with this id.",
  "processor-disabled": "The operator has disabled the record.",
  "brand-not-taken":
    "The record that was named does not take the brand. If none was named, no record in rotation does.",
  "currency-differs":
    "The record that was named charges in another currency, and the message says in which: This processor charges in CAD. If none was named, no record in rotation charges in the `currency` that was sent.",
  "currency-ambiguous":
    "No record was named and no currency sent, and the records that could be drawn charge in several currencies.",
  "amount-not-in-currency":
    "The currency has no minor unit (ISO 4217), such as the yen, the won or the CFA franc. Applies to charges and follow-ups.",
  "processor-cannot-express":
    "The processor's protocol has no form for the value, and the text names its limit: half a rupiah at Adyen, a `threeds_cavv` of more than 100 characters in ISO 8583. Nothing was sent. If no record was named, no record in rotation can express it. Applies to charges, and to the amounts of follow-ups.",
  "no-processor-in-rotation": "No record was named, and the merchant has none in rotation.",
  "cvv-required": "The record wants a CVV for this brand.",
  "name-required": "The record wants both names.",
  "document-required":
    "The record wants a tax number. There is none, its check digits are wrong, or its letters are not capitals.",
  "card-testing-suspected":
    "Many cards with the same range, address or token were tried with small charges, and most of the newest were declined. With `Retry-After`.",
  "card-unknown": "The merchant has no such card on file, or no longer.",
  "stored-card-unknown": "The merchant has no card on file with this `card_id`, or has deleted it.",
  "own-card-number":
    "A field, or with `base` the header `Idempotency-Key`, holds the number of the card on file that is to be charged.",
  "card-numbers-forbidden":
    "The merchant's setting `card_numbers` is `forbidden`, and the request has a card number or a CVV, in the field that is named or, with `base`, in the path or in the header `Idempotency-Key`; or the number of the card on file is stored here.",
  "card-of-another-processor": "The card on file is kept by a processor, and the charge names another record.",
  "consent-expired": "A charge that the merchant initiates, after the last day of the card's consent.",
  "consent-used-up":
    "As many charges were made by the card's consent as it allows. Those whose end is not known are among them; declined ones are not.",
  "consent-in-other-currency": "The processor record charges in another currency than the card's consent is in.",
  "consent-exceeded": "The amount is above the consent's `amount_at_most`.",
  "consent-exceeded-in-period":
    "Together with the charges of this day, week, month or year, the amount is above the consent's `period_amount_at_most`.",
  "processor-keeps-no-cards": "A card was to be stored by a processor's token, and the record's kind has none.",
  "token-unknown":
    "The processor does not know `processor_token`, it is no card, or it does not belong to `processor_customer` there.",
  "token-not-checked":
    "The processor was asked what the token is, and could not be reached, or did not answer in time.",
  "processor-cannot-verify":
    "No processor that may be asked has a way to verify a card without charging it: `processor_id` names such a record, or the merchant has no other.",
  "verification-not-answered":
    "The processor was asked to verify a card, and could not be reached, did not answer in time, or said neither yes nor no.",
  "card-declined":
    "The merchant's cards are verified before they are stored (`verify_cards`), and this one was declined. The text ends with the processor's code and message.",
  "plan-unknown": "The merchant has no plan with this id.",
  "plan-ended": "A plan was to be canceled or moved, and none of its payments can be any more.",
  "payment-too-small":
    "A plan has airline data, and a payment is smaller than one minor unit of its currency for each leg, or nearly.",
  "amount-required": "The transaction has passengers, and the follow-up has no amount.",
  "passengers-required":
    "The transaction has passengers, and the follow-up names none. A reversal: the processor moved some of the money without being asked, and nobody says whose it was, so void or refund what is left with passengers.",
  "passenger-unknown":
    "No passenger of this transaction has this id. A transaction without airline data has no passengers at all.",
  "passenger-repeated": "The request names the same passenger twice.",
  "shares-differ-from-amount": "The passengers' amounts do not add up to `amount`. They are compared to the cent.",
  "share-exceeds-passenger":
    "A capture: more than the passenger's fares. A refund: more than was captured for the passenger or, in CAD, more than has settled of it.",
  "transaction-unknown": "No transaction has this id, or it is another merchant's. The response is the same for both.",
  "transaction-archived":
    "It was over long ago, and the operator moved it to an archive. Look-ups and follow-ups are refused; nothing reached the processor.",
  "charge-not-approved": "The sale or auth was declined, or was never answered.",
  "sale-is-captured": "A sale was to be captured.",
  "processor-captures-once": "Part of the authorization was captured before, and this processor captures once.",
  "nothing-left-to-capture": "All of it was captured or voided.",
  "capture-exceeds-authorization": "Earlier captures and voids count, and so do those in flight.",
  "void-after-settlement":
    "The money shows as settled, even if it was refunded since; told whatever else is wrong with the void. Or the processor said so of a void within the settlement window; a failed event records that.",
  "nothing-left-to-void": "All of it was voided, or it was refunded and has not settled yet.",
  "processor-voids-whole-payments":
    "Part of it was captured, voided or refunded, or it was captured in several parts, and this processor voids whole payments only.",
  "void-exceeds-remaining": "Earlier voids and refunds count, and so do those in flight.",
  "void-must-be-whole": "Voids in CAD are always whole, and so are those at a processor that cannot void a part.",
  "nothing-captured": "The authorization was never captured.",
  "nothing-left-to-refund": "All that was captured is voided or refunded.",
  "refund-exceeds-captured": "Earlier voids and refunds count, and so do those in flight.",
  "refund-before-settlement":
    "In CAD, and at a processor that refunds only settled money, an unsettled charge is voided instead, where it can be.",
  "refund-exceeds-settled":
    "As `refund-before-settlement`, where some of the money was captured before a cut-off and has settled, and some was not.",
  "partial-refund-inside-window":
    "As `refund-before-settlement`, from the cut-off until settlement shows. Only a whole refund is sent to the processor then.",
  "reversal-before-settlement":
    "The processor voids whole payments only and refunds settled money only, and some of what is left has not settled.",
  "nothing-left-to-reverse":
    "All of it was voided or refunded, or what is left was not captured and cannot be voided; it lapses by itself.",
  "too-many-events": "A transaction has at most 500 events. Failed attempts count too.",
  "card-number-not-kept":
    "The record has `card_number_in_follow_ups`, and the number is not stored. It is removed 180 days after a transaction's last event.",
  "operation-in-flight": "Whether the request is possible depends on how another operation ends. With `Retry-After`.",
  "disputed-charge-not-approved":
    "The sale or auth was declined, was not sent, or failed later. A charge without an answer can be disputed.",
  "dispute-before-charge": "Evidence cannot be due before there was a charge.",
  "inquiry-moves-no-money": "The stage is `inquiry`, and an amount is withdrawn.",
  "withdrawn-exceeds-disputed": "More is withdrawn than `amount`. Fees do not count.",
  "withdrawn-in-other-currency":
    "An amount is withdrawn in another currency than the payment's. The disputed amount alone may be in any currency.",
  "nothing-captured-to-withdraw":
    "The sale was voided, or the authorization was never captured. What is in flight counts as captured.",
  "withdrawn-exceeds-captured":
    "Captures and sales count without what was voided, and with what is in flight. All disputes of the payment count. Refunds do not: a bank may take back what was refunded.",
  "key-of-another-request": "The key came with another path or another body.",
  "key-in-use": "The response to the first request is not there yet. With `Retry-After`.",
};
