// Transactions with so many events that each response about them takes milliseconds to make. They are known by the length of their last
// response. A request that names one of them is as heavy as a list.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { forgetOldest } from "../shares/forget-oldest.ts";

/** Of some eighty events. */
const LONG_LENGTH = 32_768;
/** The one that was not named for longest is forgotten first. Its next response is made where payments are, and then it is known again. */
const MOST_KNOWN = 10_000;

export interface LongTransactions {
  isNamedBy(request: FastifyRequest): boolean;
}

/** Looks at the responses of the routes that are registered after it. */
export function longTransactions(app: FastifyInstance): LongTransactions {
  const known = new Set<string>();
  app.addHook("onSend", (request, _reply, payload, done) => {
    const id = idIn(request);
    if (id !== undefined && typeof payload === "string" && payload.length >= LONG_LENGTH) note(known, id);
    done(null, payload);
  });
  return {
    isNamedBy(request) {
      const id = idIn(request);
      if (id === undefined || !known.has(id)) return false;
      note(known, id);
      return true;
    },
  };
}

const idIn = ({ params }: FastifyRequest): string | undefined =>
  (params as { readonly transaction_id?: string } | undefined)?.transaction_id?.toLowerCase();

function note(known: Set<string>, id: string): void {
  known.delete(id);
  known.add(id);
  forgetOldest(known, MOST_KNOWN);
}
