// Cards that are verified without money (SetupIntents), created and confirmed in one request. Nothing is booked, and nothing is told by
// webhook. https://docs.stripe.com/api/setup_intents

import { type Answer, fault, invalid, ok } from "./answer.ts";
import { conductOf } from "./cards.ts";
import { type Fields, textAt } from "./form.ts";
import { newId } from "./new-id.ts";
import { noMethod, type PaymentMethod, type PaymentMethods } from "./payment-methods.ts";

export function setUp(methods: PaymentMethods, fields: Fields): Answer {
  if (textAt(fields, "confirm") !== "true") return invalid("This host only confirms what it creates.");
  if (fields.amount !== undefined) return invalid("Received unknown parameter: amount");
  const id = textAt(fields, "payment_method") ?? "";
  const method = methods.get(id);
  if (method === undefined) return noMethod(id);
  if (method.customer !== textAt(fields, "customer"))
    return invalid("The provided PaymentMethod is attached to a Customer: include the Customer in the request.");
  const { decline, challenge } = conductOf(method.number);
  if (decline !== undefined) {
    const { code, declineCode } = decline;
    const body = { ...bodyOf("requires_payment_method", null), payment_method: null };
    const refused = fault(402, "card_error", code, "Your card was declined.");
    const { error } = refused.body as { readonly error: object };
    return {
      ...refused,
      body: { error: { ...error, ...(declineCode && { decline_code: declineCode }), setup_intent: body } },
      kept: true,
    };
  }
  if (challenge) return ok(bodyOf("requires_action", null));
  return ok(bodyOf("succeeded", method));
}

const bodyOf = (status: string, method: PaymentMethod | null) => ({
  ...{ id: newId("seti"), object: "setup_intent", livemode: false, usage: "off_session", status },
  last_setup_error: null,
  latest_attempt: method && {
    ...{ id: newId("setatt"), object: "setup_attempt", status: "succeeded" },
    payment_method_details: { type: "card", card: { checks: checksOf(method) } },
  },
});

function checksOf({ number, hasCvc, hasStreet, hasPostalCode }: PaymentMethod) {
  const { addressChecks = "pass", cvcCheck = "pass" } = conductOf(number);
  return {
    address_line1_check: hasStreet ? addressChecks : null,
    address_postal_code_check: hasPostalCode ? addressChecks : null,
    cvc_check: hasCvc ? cvcCheck : null,
  };
}
