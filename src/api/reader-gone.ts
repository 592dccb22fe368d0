// Whether a client is still there to read its response. If not, no more work is done for it.

import type { FastifyReply } from "fastify";
import { baseFault } from "./request-fault.ts";

/** Aborted when the response was taken, or never will be. */
export function readerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // Nobody sees this response, and it is nothing to be logged.
  const abort = () => gone.abort(baseFault(400, "The connection was closed."));
  if (raw.destroyed || raw.closed) abort();
  else raw.once("close", abort);
  return gone.signal;
}
