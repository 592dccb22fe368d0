// The merchant's routes on cards on file: parse, call, render.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { CardTestingWatch } from "../gateway/card-testing.ts";
import {
  type CardCaller,
  type CardsOnFile,
  changeCard,
  deleteCard,
  type MayStore,
  storeCard,
} from "../gateway/cards-on-file.ts";
import type { Keys } from "../gateway/idempotency.ts";
import type { Parts } from "../gateway/parts.ts";
import { renderStored, representCard } from "../gateway/shown-card.ts";
import { storeToken } from "../gateway/token-on-file.ts";
import { type AdmitVerification, type Verification, verifyCard, verifyNewCard } from "../gateway/verify-card.ts";
import type { Sql } from "../journal/database.ts";
import type { StoredResponse } from "../journal/journal.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { CARDS_ON_A_PAGE, findStoredCard, listStoredCards } from "../journal/stored-cards.ts";
import type { Author } from "../merchants/backoffice.ts";
import { pageMeta } from "../page-meta.ts";
import { refuse } from "../payment/refusal.ts";
import type { StoredCard } from "../payment/stored-card.ts";
import { isUuid } from "../uuid.ts";
import type { BodyTree } from "./body/tree.ts";
import { addressOf, callerOf } from "./callers.ts";
import { tellIgnored } from "./check.ts";
import { keyedHash } from "./keyed-hash.ts";
import { readerGone } from "./long-responses.ts";
import * as describe from "./openapi/card-routes.ts";
import { actorOf, queryOf } from "./operator/calls.ts";
import { parseCard, parseCardChange, parseVerification } from "./parse-card.ts";
import { refusalFault } from "./refusal-responses.ts";
import { keyClaim } from "./request-hash.ts";
import { sendResult } from "./responses.ts";

export interface CardRoutes extends CardsOnFile {
  readonly parts: Parts;
  /** For look-ups. */
  readonly lookUps: Sql;
  /** For lists. */
  readonly slowReads: Sql;
  readonly keys: Keys;
  /** Of idempotency keys' request hashes. */
  readonly secret: Buffer;
  readonly cardTesting: CardTestingWatch;
}

type OfCard = { Params: { card_id: string } };

const Query = Type.Object(
  { page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })) },
  { additionalProperties: false },
);

export function cardRoutes(app: FastifyInstance, routes: CardRoutes): void {
  const { lookUps, slowReads, keys, secret, cardTesting } = routes;
  const hash = keyedHash(secret);
  const cards = { scope: "cards" } as const;
  const shown = { ...cards, shownToReaders: true } as const;
  const admitting = (request: FastifyRequest): AdmitVerification => {
    const { merchantId, tokenId, cardTesting: settings } = callerOf(request);
    return (charged, currency) => cardTesting.admit({ merchantId, tokenId, settings, currency, ...charged });
  };

  app.post("/cards", { config: cards, schema: describe.store }, async (request, reply) => {
    const { merchantId, tokenId, cardTesting: settings, ...of } = callerOf(request);
    const { strictIdentifiers, cardNumbersForbidden, verifyCards } = of;
    const claim = keyClaim(request, hash, strictIdentifiers);
    const { request: asked, ignored } = request.measured(() =>
      parseCard(request.body as BodyTree, cardNumbersForbidden),
    );
    tellIgnored(reply, ignored);
    const { ipAddress } = asked;
    const caller = cardCallerOf(request);
    let verification: Verification | undefined;
    const mayStore: MayStore = async (stored, instrument) => {
      if (verifyCards) {
        const found = await verifyNewCard(routes, caller, stored, instrument, ipAddress, admitting(request));
        if (found.kind !== "verification") return found;
        verification = found;
      } else if (instrument.kind === "card") {
        const watched = { merchantId, tokenId, settings, card: instrument.number, ipAddress };
        if (!(await cardTesting.mayStore(watched))) return refuse("card-testing-suspected");
      }
      return undefined;
    };
    const render = (stored: StoredCard) =>
      verification === undefined ? renderStored(stored) : renderVerified(stored, verification);
    const work = () =>
      "token" in asked
        ? storeToken(routes, caller, asked, claim, render, mayStore)
        : storeCard(routes, caller, asked, claim, render, mayStore);
    return sendResult(await keys.once(merchantId, claim, work), reply);
  });

  app.get("/cards", { config: { ...shown, heavy: true }, schema: describe.list(Query) }, async (request, reply) => {
    const { page = 1 } = queryOf(Query, request);
    const { merchantId } = callerOf(request);
    const { cards, total } = await inTurn(lister(slowReads, merchantId, readerGone(reply)), () =>
      listStoredCards(slowReads, merchantId, page),
    );
    return { cards: cards.map(representCard), meta: pageMeta(total, CARDS_ON_A_PAGE, page) };
  });

  const ofCard = "/cards/:card_id";
  app.get<OfCard>(ofCard, { config: shown, schema: describe.find }, async (request) => {
    const card = await findStoredCard(lookUps, callerOf(request).merchantId, cardIdOf(request));
    if (card === undefined) throw UNKNOWN;
    return { card: representCard(card) };
  });

  app.patch<OfCard>(ofCard, { config: cards, schema: describe.change }, async (request, reply) => {
    const { request: change, ignored } = request.measured(() => parseCardChange(request.body as BodyTree));
    tellIgnored(reply, ignored);
    const changed = await changeCard(routes, cardCallerOf(request), cardIdOf(request), change);
    if ("kind" in changed) throw refusalFault(changed);
    return { card: representCard(changed) };
  });

  app.post<OfCard>(`${ofCard}/verify`, { config: cards, schema: describe.verify }, async (request, reply) => {
    const { merchantId, strictIdentifiers } = callerOf(request);
    const claim = keyClaim(request, hash, strictIdentifiers);
    const { request: asked, ignored } = request.measured(() => parseVerification(request.body as BodyTree));
    tellIgnored(reply, ignored);
    const work = () =>
      verifyCard(
        routes,
        cardCallerOf(request),
        cardIdOf(request),
        asked,
        claim,
        renderVerification,
        admitting(request),
      );
    return sendResult(await keys.once(merchantId, claim, work), reply);
  });

  app.delete<OfCard>(ofCard, { config: cards, schema: describe.remove }, async (request, reply) => {
    const deleted = await deleteCard(routes, cardCallerOf(request), cardIdOf(request));
    if (deleted !== "deleted") throw refusalFault(deleted);
    return reply.code(204).send();
  });
}

const UNKNOWN = refusalFault(refuse("card-unknown"));

/** What is no UUID is the id of no card. */
function cardIdOf({ params }: FastifyRequest<OfCard>): string {
  if (!isUuid(params.card_id)) throw UNKNOWN;
  return params.card_id.toLowerCase();
}

/** By a token, the user whose it is; by a session, the person. */
export function cardCallerOf(request: FastifyRequest): CardCaller {
  const { merchantId, userId, tokenId, cardNumbersForbidden } = callerOf(request);
  const actor = request.session ? actorOf(request.session) : `token ${tokenId}`;
  const author: Author = { actor, source: addressOf(request), merchantId };
  return { merchantId, userId, author, requestId: request.id, cardNumbersForbidden };
}

const renderVerified = (card: StoredCard, verification: Verification): StoredResponse => ({
  status: 201,
  body: JSON.stringify({ card: representCard(card), verification: representVerification(verification) }),
});

const renderVerification = (verification: Verification): StoredResponse => ({
  status: 200,
  body: JSON.stringify({ verification: representVerification(verification) }),
});

/** Shape: schema/card.ts. */
const representVerification = ({ processorId, success, processorResponse }: Verification) => ({
  success,
  processor_id: processorId,
  ...{ avs_response: processorResponse.avs, processor_avs_response: processorResponse.rawAvs },
  ...{ cvv_response: processorResponse.cvv, processor_cvv_response: processorResponse.rawCvv },
  ...{ processor_code: processorResponse.code, processor_message: processorResponse.message },
});
