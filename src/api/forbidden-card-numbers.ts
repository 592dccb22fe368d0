// For a merchant that forbids card numbers: a request with a card number or a CVV is refused before anything is made of it. No hash of
// its body, no look-up and no intent comes earlier. Why: docs/decisions/forbidden-card-numbers.md.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { holdsCardNumber } from "../payment/stray-card-number.ts";
import { MOST_TOLD } from "../validation/problems.ts";
import { strayCardNumbers } from "../validation/stray-card-numbers.ts";
import { type BodyTree, type BodyValue, isBodyTree, isEmpty } from "./body/tree.ts";
import { decoded } from "./card-numbers-in-address.ts";
import { REFUSAL_RESPONSES } from "./refusal-responses.ts";
import { REFUSAL_HEADER, RequestFault } from "./request-fault.ts";
import { CardBody } from "./schema/card.ts";
import { SaleBody } from "./schema/charge.ts";

const NAME = "card-numbers-forbidden";
const { status, text: FORBIDDEN } = REFUSAL_RESPONSES[NAME];

/** For all routes of this instance, before the other checks of addresses and bodies. */
export function refuseForbiddenCardNumbers(app: FastifyInstance): void {
  app.addHook("preHandler", (request, _reply, done) => {
    const forbidden = request.caller?.cardNumbersForbidden === true && !request.is404;
    done(forbidden ? faultOf(request) : undefined);
  });
}

function faultOf(request: FastifyRequest): RequestFault | undefined {
  const { url, query, body, headers } = request;
  const [path = ""] = url.split("?");
  const base = [
    ...(holdsCardNumber(decoded(path)) ? ["The path must not hold a card number."] : []),
    ...([headers["idempotency-key"]].flat().some((key) => holdsCardNumber(key ?? ""))
      ? ["The Idempotency-Key header must not hold a card number."]
      : []),
  ];
  const inBody = isBodyTree(body as BodyValue) ? numbersInBody(body as BodyTree) : {};
  const messages = { ...numbersIn(QUERY, query), ...inBody, ...(base.length > 0 && { base }) };
  if (Object.keys(messages).length === 0) return undefined;
  return new RequestFault(status, messages, { [REFUSAL_HEADER]: NAME }, NAME);
}

type Messages = Readonly<Record<string, readonly string[]>>;

/** Whatever is in them. */
const OF_CARDS = ["card_number", "card_cvv"] as const;

function numbersInBody(body: BodyTree): Messages {
  const sent = OF_CARDS.filter((field) => !isEmpty(body[field]));
  return { ...numbersIn(BODY, body), ...Object.fromEntries(sent.map((field) => [field, [FORBIDDEN]])) };
}

/** The fields are known for tax ids, which may look like card numbers. Fields that nobody knows are searched, too. */
const BODY = Type.Object({ ...CardBody.properties, ...SaleBody.properties });
const QUERY = Type.Object({});

function numbersIn(schema: typeof BODY | typeof QUERY, value: unknown): Messages {
  const strays = strayCardNumbers(schema, value, [], { most: MOST_TOLD + 1, strict: true });
  return Object.fromEntries([...strays].map(([field, text]) => [field, [text]]));
}
