// What the OpenAPI document says of the merchant's routes on transactions.

import Type from "typebox";
import { COMPONENT } from "./components.ts";
import {
  errors,
  header,
  IDEMPOTENCY_KEY,
  ignoredFields,
  jsonResponse,
  type RouteDescription,
  replayed,
} from "./responses.ts";

const wrapped = Type.Object(
  { transaction: Type.Ref("Transaction") },
  { [COMPONENT]: "TransactionEnvelope", additionalProperties: false },
);
/** Exactly one: each requires a field that the other does not have. */
const wrappedOrBare = Type.Unsafe({
  oneOf: [wrapped, Type.Ref("Transaction")],
  description: "With airline data the transaction itself, otherwise wrapped in `transaction`.",
  [COMPONENT]: "FollowUpResult",
});
const told = { ...ignoredFields, ...replayed };

const TRANSACTION_ID = Type.Object({
  transaction_id: Type.String({ format: "uuid", description: "The transaction's `id`." }),
});

/** @param body the name of a component */
const charging = (summary: string, description: string, body: string): RouteDescription => ({
  summary,
  description,
  tags: ["Transactions"],
  headers: IDEMPOTENCY_KEY,
  body: Type.Ref(body),
  response: {
    200: jsonResponse("Approved or declined: see `events[0].success`.", wrapped, told),
    202: jsonResponse(
      "The processor has accepted it and will complete it later: the event is `pending`. Do not charge again.",
      wrapped,
      told,
    ),
    ...errors(400, 401, 403, 409, 413, 415, 422, 429, 500, 503),
  },
});

export const sale = charging(
  "Charge a card",
  "Authorization and capture in one call. A decline is a response with status 200. If the processor does not answer in " +
    "time, the response shows a failed event with code 91, and the charge is reversed until the processor confirms it.",
  "Sale",
);
export const auth = charging(
  "Authorize a card",
  "Authorization only, with a later capture. Fields as for a sale; the customer's IP address is optional.",
  "Auth",
);
export const either = charging(
  "Charge or authorize a card",
  "A sale or an auth, by `transaction_type`; default: sale.",
  "Charge",
);

/** Of what gives captured money back. */
const disputed = {
  "Faregate-Disputed": header(
    "string",
    "Ids of disputes of this transaction, with commas between, over which the payer may get the money twice.",
  ),
};

const following = (
  summary: string,
  description: string,
  body = "FollowUp",
  headers: Readonly<Record<string, unknown>> = told,
): RouteDescription => ({
  summary,
  description: `${description} May come without a body.`,
  tags: ["Transactions"],
  params: TRANSACTION_ID,
  headers: IDEMPOTENCY_KEY,
  body: Type.Ref(body),
  response: {
    200: jsonResponse("The processor approved or declined: see `events[0].success`.", wrappedOrBare, headers),
    202: jsonResponse(
      "No outcome yet: the event is `pending`, and the gateway asks the processor until it has one.",
      wrappedOrBare,
      headers,
    ),
    ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503),
  },
});

export const capture = following(
  "Capture an authorization",
  "All that remains of it, or a part if the processor allows it.",
);
export const cancel = following(
  "Void a sale or an authorization",
  "Cancels what has not settled, even if captured. In CAD, and at some processors, only as a whole. If a void fails, a refund may still succeed. A dispute does not prevent it.",
  "FollowUp",
  { ...told, ...disputed },
);
export const refund = following(
  "Refund captured money",
  "Up to what was captured and not refunded. In CAD, and at some processors, only after settlement. A dispute does not prevent it.",
  "FollowUp",
  { ...told, ...disputed },
);
export const reversal = following(
  "Give everything back",
  "Tries a void and, if that is not possible or fails, a refund. The response has the events of what was tried. Use it when you do not know whether the money has settled.",
  "Reversal",
  { ...told, ...disputed },
);

export const find: RouteDescription = {
  summary: "Look a transaction up",
  description: "As it is now, by the id that the response to the charge gave.",
  tags: ["Transactions"],
  params: TRANSACTION_ID,
  response: {
    200: jsonResponse("The transaction as it is now.", wrapped),
    ...errors(401, 403, 404, 422, 429, 500, 503),
  },
};
