// What an idempotency key is bound to: a keyed hash of the path and the body. Keyed, because a body holds a card number,
// which anyone who read the database could otherwise find by trial.

import type { FastifyRequest } from "fastify";
import type { KeyClaim } from "../journal/journal.ts";
import { parseCardNumber } from "../payment/card.ts";
import type { CardNumber } from "../payment/secret.ts";
import { holdsCardNumber } from "../payment/stray-card-number.ts";
import { isNumberLiteral, literalOf } from "../validation/number-literal.ts";
import { type BodyTree, type BodyValue, isBodyTree } from "./body/tree.ts";
import { RequestFault } from "./request-fault.ts";

const MOST_CHARACTERS = 255;

/**
 * @param hash keyed by the installation's secret
 * @param strict whether identifiers, of which the key is one, may hold no number that looks like a card's
 */
export function keyClaim(request: FastifyRequest, hash: (text: string) => Buffer, strict: boolean): KeyClaim | null {
  const sent = request.headers["idempotency-key"];
  if (sent === undefined) return null;
  // Several are joined by a comma and a space. For the distinct headers Node sorts all of them once more.
  const several = sent.includes(", ");
  const [key = "", ...others] = several ? (request.raw.headersDistinct["idempotency-key"] ?? []) : [sent].flat();
  if (others.length > 0) throw new RequestFault(422, { base: ["The Idempotency-Key header must be sent once."] });
  if (key.length < 1 || key.length > MOST_CHARACTERS || !/^[\x20-\x7e]+$/.test(key))
    throw new RequestFault(422, {
      base: [`The Idempotency-Key header takes 1 to ${MOST_CHARACTERS} printable ASCII characters.`],
    });
  const purpose = strict ? undefined : "identifier";
  if (holdsCardNumber(key, { own: ownCardNumber(request.body as BodyTree), purpose }))
    throw new RequestFault(422, { base: ["The Idempotency-Key header must not hold a card number."] });
  const [path] = request.url.split("?");
  const requestHash = hash(`${request.method} ${path?.toLowerCase()}\n${meaning(request.body as BodyTree)}`);
  return { key, requestHash };
}

function ownCardNumber({ card_number: number }: BodyTree): CardNumber | undefined {
  const text = isNumberLiteral(number) ? literalOf(number) : number;
  return typeof text === "string" ? parseCardNumber(text) : undefined;
}

/** The same fields make the same text, whatever their order and format and the type that the format gave them (R2). */
function meaning(value: BodyValue): string {
  if (Array.isArray(value)) return `[${value.map(meaning).join()}]`;
  if (!isBodyTree(value)) return quoted(isNumberLiteral(value) ? literalOf(value) : String(value));
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const inner = value[name] as BodyValue;
    if (inner !== null && inner !== "") text += `${text && ","}${quoted(name)}:${meaning(inner)}`;
  }
  return `{${text}}`;
}

/** As JSON writes it. Nearly all texts stand there as they are, and JSON is asked for the others alone: some thirty stand in a request. */
const quoted = (text: string): string => (AS_IT_IS.test(text) ? `"${text}"` : JSON.stringify(text));
const AS_IT_IS = /^[ !#-[\]-~]*$/;
