// Whether there still is somebody to read an answer: who left wants no more work done.

import type { FastifyReply } from "fastify";
import { baseFault } from "./request-fault.ts";

/** Aborted when the answer was taken, or never will be. */
export function readerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // Nobody sees this answer, and it is nothing to be logged.
  const abort = () => gone.abort(baseFault(400, "The connection was closed."));
  if (raw.destroyed || raw.closed) abort();
  else raw.once("close", abort);
  return gone.signal;
}
