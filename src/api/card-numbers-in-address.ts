// A card number in a request's address is refused, in the path and in the query: addresses end up in the logs of every
// proxy on the way. Such a request is not looked at any further.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { holdsCardNumber } from "../payment/stray-card-number.ts";
import { MOST_TOLD } from "../validation/problems.ts";
import { MAY_HOLD, strayCardNumbers } from "../validation/stray-card-numbers.ts";
import { RequestFault } from "./request-fault.ts";

/** For all routes of this instance, after who calls is known; an unknown path is 404 all the same. */
export function refuseCardNumbersInAddress(app: FastifyInstance): void {
  app.addHook("preHandler", (request, _reply, done) => {
    done(request.is404 ? undefined : faultOf(request));
  });
}

const SEARCH = Type.Object({
  merchant_transaction_id: Type.String({ [MAY_HOLD]: "identifier" }),
  ticket_number: Type.String({ [MAY_HOLD]: "identifier" }),
  mobile_phone: Type.String(),
  // Its own check says what is wanted there.
  card_number: Type.String({ [MAY_HOLD]: "anything" }),
});
const QUERY = Type.Object({ search: SEARCH });

function faultOf({ url, query, caller }: FastifyRequest): RequestFault | undefined {
  const [path = "", search] = url.split("?");
  const inPath = holdsCardNumber(decoded(path));
  if (!inPath && search === undefined) return undefined;
  const strict = caller?.strictIdentifiers ?? false;
  const strays = [...strayCardNumbers(QUERY, query, [], { most: MOST_TOLD + 1, strict })].map(
    ([field, text]) => [field, [text]] as const,
  );
  if (!inPath && strays.length === 0) return undefined;
  const base = inPath && { base: ["The path must not hold a card number."] };
  return new RequestFault(422, { ...base, ...Object.fromEntries(strays) });
}

/** What cannot be decoded was refused by the router, or is looked at as it is. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
