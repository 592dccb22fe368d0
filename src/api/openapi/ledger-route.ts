// What the OpenAPI document says of the ledger.

import Type from "typebox";
import { nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { errors, ForSpreadsheet, jsonResponse, type RouteDescription } from "./responses.ts";

const text = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const MovementShape = Type.Object(
  {
    occurred_at: { ...Timestamp, description: "When its outcome was known." },
    settled_at: nullable(Timestamp, { description: "When its batch was seen to be settled; null until then." }),
    paid_at: nullable(Timestamp, { description: "When it was paid out. Always null: no processor tells the gateway." }),
    movement: Type.Enum(["sale", "capture", "void", "refund", "chargeback", "dispute_fee"], {
      description:
        "The operation that moved the money; `chargeback`: a dispute did; `dispute_fee`: the processor charged for the dispute.",
    }),
    reversing: Type.Boolean({
      description:
        "It takes back an earlier movement: of the same event, which failed after all, or of the same dispute, whose money or fee came back.",
    }),
    currency: Type.String({ description: "ISO 4217.", examples: ["CAD"] }),
    amount: Type.String({ description: "With a minus if it leaves the merchant.", examples: ["-12.50"] }),
    merchant_transaction_id: Type.String({ description: "The merchant's order." }),
    transaction_id: Uuid,
    event_id: { ...Uuid, description: "Of a chargeback or its fee, the sale or auth that is disputed." },
    passenger_id: nullable(Uuid, { description: "Null without airline data." }),
    passenger_name: text("Null without airline data."),
    ticket_number: text("Null without airline data."),
    batch_id: nullable(Uuid, {
      description:
        "Null until the cut-off has passed. A void is in the batch of the sale or capture that it cancels; chargebacks and their fees are in none.",
    }),
    processor_id: { ...Uuid, description: "The processor record." },
    processor_transaction_id: text("The processor's reference; of a chargeback or its fee, its name for the dispute."),
    dispute_id: nullable(Uuid, { description: "Of a chargeback or its fee, the dispute; otherwise null." }),
  },
  {
    $id: "Movement",
    additionalProperties: false,
    description: "A movement of money: of one event, one capture and, with airline data, one passenger.",
  },
);

const end = (description: string, examples: string[]) => Type.String({ description, examples });

const ALL = jsonResponse(
  "All movements of the period.",
  Type.Object({ movements: Type.Array(Type.Ref("Movement")) }, { additionalProperties: false }),
);

export const ledger: RouteDescription = {
  summary: "Export the ledger of a period",
  description:
    "One record for each movement of money: sale, capture, void, refund, chargeback, fee of a dispute, and the reversing record of what failed after all or came back. All of them, transactions newest first, then disputes. Authorizations, and voids of what was not captured, move nothing. The gateway knows of no other fees and of no payouts, so there are none. An unknown parameter is an error.",
  tags: ["Ledger"],
  querystring: Type.Object({
    from: end("The first instant (UTC): a day, or `Y-m-d H:i:s`.", ["2031-05-01"]),
    to: end("The last instant, included: a whole day, or a second.", ["2031-05-31"]),
    format: Type.Optional(Type.Enum(["json", "csv"], { description: "Default json." })),
    for: Type.Optional(ForSpreadsheet),
  }),
  response: {
    200: { ...ALL, content: { ...ALL.content, "text/csv": { schema: Type.String() } } },
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};
