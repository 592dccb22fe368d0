// The merchant's routes on cards on file: parse, call, render.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { CardTestingWatch } from "../gateway/card-testing.ts";
import { type CardCaller, type CardsOnFile, changeCard, deleteCard, storeCard } from "../gateway/cards-on-file.ts";
import type { Keys } from "../gateway/idempotency.ts";
import type { Parts } from "../gateway/parts.ts";
import { renderStored, representCard } from "../gateway/shown-card.ts";
import { storeToken } from "../gateway/token-on-file.ts";
import type { Sql } from "../journal/database.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { CARDS_ON_A_PAGE, findStoredCard, listStoredCards } from "../journal/stored-cards.ts";
import type { Author } from "../merchants/backoffice.ts";
import { pageMeta } from "../page-meta.ts";
import { refuse } from "../payment/refusal.ts";
import { isUuid } from "../uuid.ts";
import type { BodyTree } from "./body/tree.ts";
import { addressOf, callerOf } from "./callers.ts";
import { tellIgnored } from "./check.ts";
import { keyedHash } from "./keyed-hash.ts";
import { readerGone } from "./long-responses.ts";
import * as describe from "./openapi/card-routes.ts";
import { actorOf, queryOf } from "./operator/calls.ts";
import { parseCard, parseCardChange } from "./parse-card.ts";
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

  app.post("/cards", { config: cards, schema: describe.store }, async (request, reply) => {
    const { merchantId, tokenId, strictIdentifiers, cardNumbersForbidden, cardTesting: settings } = callerOf(request);
    const claim = keyClaim(request, hash, strictIdentifiers);
    const { request: asked, ignored } = request.measured(() =>
      parseCard(request.body as BodyTree, cardNumbersForbidden),
    );
    tellIgnored(reply, ignored);
    const { ipAddress } = asked;
    const caller = cardCallerOf(request);
    const work = () => {
      if ("token" in asked) return storeToken(routes, caller, asked, claim, renderStored);
      const mayStore = () => cardTesting.mayStore({ merchantId, tokenId, settings, card: asked.number, ipAddress });
      return storeCard(routes, caller, asked, claim, renderStored, mayStore);
    };
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
  const { merchantId, userId, tokenId } = callerOf(request);
  const actor = request.session ? actorOf(request.session) : `token ${tokenId}`;
  const author: Author = { actor, source: addressOf(request), merchantId };
  return { merchantId, userId, author };
}
