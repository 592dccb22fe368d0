// A capture, void or refund as a request to Adyen. All of them are modifications of a payment, known by its pspReference.

import type { FollowUpQuestion } from "../processor.ts";
import { adyenValue } from "./minor-units.ts";
import { written } from "./reference.ts";
import type { CancelJson, CaptureJson, RefundJson, ReversalJson } from "./types.ts";

export type FollowUpRequest =
  | {
      readonly kind: "request";
      readonly path: string;
      readonly body: CaptureJson | CancelJson | RefundJson | ReversalJson;
    }
  /** Adyen has nothing that does it. */
  | { readonly kind: "impossible"; readonly why: string };

export function followUpRequest(question: FollowUpQuestion, merchantAccount: string): FollowUpRequest {
  const { type, currency, original } = question;
  const value = adyenValue(question.amount, currency);
  const payment = original.processorTransactionId;
  if (payment === null) return impossible("THE PAYMENT HAS NO PSP REFERENCE");
  if (value === undefined) return impossible(`ADYEN HAS NO SUCH AMOUNT IN ${currency}`);
  const body = { merchantAccount, reference: written(question) };
  const at = (what: string) => `/payments/${encodeURIComponent(payment)}/${what}`;
  switch (type) {
    case "capture":
      return { kind: "request", path: at("captures"), body: { ...body, amount: { currency, value } } };
    case "refund":
      return { kind: "request", path: at("refunds"), body: { ...body, amount: { currency, value } } };
    case "void":
      return voidRequest(question, at, body);
  }
}

/** What was not captured is cancelled; a payment that was captured once is cancelled or refunded as a whole, as Adyen finds it. */
function voidRequest({ captures, uncaptured }: FollowUpQuestion, at: (what: string) => string, body: CancelJson) {
  if (captures.length === 0) return { kind: "request", path: at("cancels"), body } as const;
  // API reference, /reversals: not for payments with multiple partial captures.
  if (captures.length > 1 || uncaptured > 0n) return impossible("CAPTURED IN PARTS: REFUND THEM INSTEAD");
  return { kind: "request", path: at("reversals"), body } as const;
}

const impossible = (why: string): FollowUpRequest => ({ kind: "impossible", why });
