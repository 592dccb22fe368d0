// One line in the log for each request (ACCESS_LOG): who asked for what, the status of the response, how long it took. People put anything
// into addresses, so a path is shown as its pattern, with nothing of its own but a transaction's id. Headers and bodies are not shown.

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { isUuid } from "../uuid.ts";
import { addressOf } from "./callers.ts";
import type { Onlooker } from "./onlookers.ts";

/** At level info, under the request's id. */
export const accessLog = (log: FastifyBaseLogger): Onlooker => ({
  watch: (app) =>
    void app.addHook("onResponse", (request, reply, done) => {
      request.log.info(factsOf(request, reply), "request");
      done();
    }),
  unreadable: ({ requestId, status, address }) =>
    log.info({ requestId, status, address }, "not a readable HTTP request"),
});

function factsOf(request: FastifyRequest, reply: FastifyReply): object {
  const { method, routeOptions, caller, operator } = request;
  const { transaction_id: transaction } = (request.params ?? {}) as { readonly transaction_id?: unknown };
  return {
    method,
    route: routeOptions.url ?? null,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    address: addressOf(request),
    ...(caller && { merchant: caller.merchantId, token: caller.tokenId }),
    ...(operator && { operator: operator.tokenId }),
    ...(typeof transaction === "string" && isUuid(transaction) && { transaction }),
  };
}
