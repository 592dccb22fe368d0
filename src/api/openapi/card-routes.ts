// What the OpenAPI document says of the merchant's routes on cards on file.

import Type, { type TObject } from "typebox";
import { CARDS_ON_A_PAGE } from "../../journal/stored-cards.ts";
import { Uuid } from "../../validation/fields.ts";
import { PageMeta } from "../schema/transaction.ts";
import { COMPONENT } from "./components.ts";
import {
  errors,
  IDEMPOTENCY_KEY,
  ignoredFields,
  jsonResponse,
  noContent,
  type RouteDescription,
  replayed,
} from "./responses.ts";

const envelope = Type.Object(
  { card: Type.Ref("Card") },
  { [COMPONENT]: "CardEnvelope", additionalProperties: false, description: "A card on file." },
);

const storedEnvelope = Type.Object(
  { card: Type.Ref("Card"), verification: Type.Optional(Type.Ref("Verification")) },
  {
    [COMPONENT]: "StoredCardEnvelope",
    additionalProperties: false,
    description: "A card that was stored, with its verification if the merchant's cards are verified.",
  },
);

const verificationEnvelope = Type.Object(
  { verification: Type.Ref("Verification") },
  { [COMPONENT]: "VerificationEnvelope", additionalProperties: false, description: "The verification of a card." },
);

const CARD_ID = Type.Object({ card_id: { ...Uuid, description: "The card's `id`." } });

export const store: RouteDescription = {
  summary: "Store a card",
  description:
    "Keeps a card on file, sealed, so that it can be charged without its number. No processor is asked, unless the merchant's cards are " +
    "verified (`verify_cards`): then a card that its issuer declines is not stored. The CVV is never stored. Storing the " +
    "same number again makes another card, with the same `fingerprint`. With `processor_token`, the processor keeps the card, and alone can " +
    "charge it: no card number comes to the gateway. Then the processor is asked what card it is.",
  tags: ["Cards"],
  headers: IDEMPOTENCY_KEY,
  body: Type.Ref("CardFields"),
  response: {
    201: jsonResponse("Stored.", storedEnvelope, { ...ignoredFields, ...replayed }),
    ...errors(400, 401, 403, 409, 413, 415, 422, 429, 500, 503),
  },
};

export const list = (querystring: TObject): RouteDescription => ({
  summary: "List cards",
  description: `The merchant's cards on file, newest first, ${CARDS_ON_A_PAGE} a page. An unknown parameter is an error.`,
  tags: ["Cards"],
  querystring,
  response: {
    200: jsonResponse(
      "One page.",
      Type.Object(
        { cards: Type.Array(Type.Ref("Card"), { maxItems: CARDS_ON_A_PAGE }), meta: PageMeta },
        { additionalProperties: false },
      ),
    ),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
});

export const find: RouteDescription = {
  summary: "Look a card up",
  description: "As it is now.",
  tags: ["Cards"],
  params: CARD_ID,
  response: { 200: jsonResponse("The card as it is now.", envelope), ...errors(401, 403, 404, 422, 429, 500, 503) },
};

export const change: RouteDescription = {
  summary: "Change a card",
  description:
    "Expiry, names and address: what is sent is changed, and `null` removes a field. Payments that were made with the card keep what they had.",
  tags: ["Cards"],
  params: CARD_ID,
  body: Type.Ref("CardChange"),
  response: {
    200: jsonResponse("The card as it is now.", envelope, ignoredFields),
    ...errors(400, 401, 403, 404, 413, 415, 422, 429, 500, 503),
  },
};

export const verify: RouteDescription = {
  summary: "Verify a card",
  description:
    "Asks the card's issuer whether the card is good, and compares address and CVV, by an authorization of zero. No money moves, and it is no " +
    "transaction. 200 with `success` false: the issuer, or the processor, says no. 503: nothing is known; it can be repeated.",
  tags: ["Cards"],
  headers: IDEMPOTENCY_KEY,
  params: CARD_ID,
  body: Type.Ref("CardVerification"),
  response: {
    200: jsonResponse("What the issuer said.", verificationEnvelope, { ...ignoredFields, ...replayed }),
    ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503),
  },
};

export const remove: RouteDescription = {
  summary: "Delete a card",
  description:
    "For good, with its number. It cannot be charged any more. Payments that were made with it can still be captured, voided and refunded.",
  tags: ["Cards"],
  params: CARD_ID,
  response: {
    204: noContent("Deleted."),
    ...errors(401, 403, 404, 422, 429, 500, 503),
  },
};
