// What the OpenAPI document says of the list of transactions.

import Type from "typebox";
import { STATUSES } from "../../payment/status.ts";
import { EVENT_TYPES } from "../../payment/transaction.ts";
import { FILTERS } from "../parse-list.ts";
import { PageMeta } from "../schema/transaction.ts";
import { errors, ForSpreadsheet, jsonResponse, type RouteDescription } from "./responses.ts";

const HOW = {
  prefix: "Starts with this text, literally and case-sensitively.",
  exact: "Is exactly this text.",
  date: "UTC, `Y-m-d H:i:s` such as `2031-05-01 14:30:00`, or as responses show it; the end itself is included.",
} as const;

const BY_CARD =
  "The card's first six digits and eight asterisks (`411111********`); of a card with eight or nine digits its mask (`6011****`).";

const WORDS: Readonly<Record<string, string>> = {
  card_id: "The id of a card on file that it charged or stored. Of one that was deleted, too.",
  card_number: BY_CARD,
  last_four: "The card number's last four digits, where the mask shows them.",
  amount: "The charge's amount, exactly.",
  currency: "The transaction's currency, an ISO 4217 code.",
  auth_code: "The authorization code of one of the transaction's events, exactly.",
  event_type: `One of its events is of this type: ${EVENT_TYPES.join(", ")}.`,
  status: `One of its events has this status now: ${STATUSES.join(", ")}. With \`event_type\`: that event.`,
  ticket_number: "The whole ticket number of a passenger.",
  passenger_name: "A passenger's name starts with this text. With `ticket_number`: that passenger's.",
};

const EXAMPLES: Readonly<Record<string, string>> = {
  card_number: "411111********",
  created_at_gte: "2031-05-01 00:00:00",
  created_at_lte: "2031-05-31 23:59:59",
  merchant_transaction_id: "order-1",
  last_four: "1111",
  amount: "12.34",
  currency: "USD",
  event_type: "refund",
  status: "declined",
  ticket_number: "0141234567890",
  passenger_name: "DOE/",
};

const filters = Object.entries(FILTERS).map(([name, { type }]) => [
  `search[${name}]`,
  Type.Optional(
    Type.String({
      description: WORDS[name] ?? HOW[type],
      ...(EXAMPLES[name] && { examples: [EXAMPLES[name]] }),
    }),
  ),
]);

const PAGE = jsonResponse(
  "One page, or all matches as CSV.",
  Type.Object(
    { transactions: Type.Array(Type.Ref("Transaction"), { maxItems: 50 }), meta: PageMeta },
    { additionalProperties: false },
  ),
);

export const list: RouteDescription = {
  summary: "List transactions",
  description:
    "Newest first, 50 a page. Filters narrow it together; an unknown or empty one is an error, and so is any other parameter. `format=csv` gives all matches as CSV, a header and then one line a transaction.",
  tags: ["Transactions"],
  querystring: Type.Object({
    page: Type.Optional(
      Type.Integer({ minimum: 1, description: "Default 1. Past the end: an empty list.", examples: [1] }),
    ),
    format: Type.Optional(Type.Enum(["json", "csv"], { description: "Default json." })),
    for: Type.Optional(ForSpreadsheet),
    ...Object.fromEntries(filters),
  }),
  response: {
    200: { ...PAGE, content: { ...PAGE.content, "text/csv": { schema: Type.String() } } },
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};
