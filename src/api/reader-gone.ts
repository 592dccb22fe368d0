// Whether a client is still there to read its response. If not, no more work is done for it.

import type { FastifyReply } from "fastify";
import { baseFault } from "./request-fault.ts";

/** Nobody sees this response, and it is nothing to be logged. */
const GONE = baseFault(400, "The connection was closed.");

/** Aborted when the response was taken, or never will be. */
export function readerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(GONE);
  if (raw.destroyed || raw.closed) abort();
  else raw.once("close", abort);
  return gone.signal;
}
