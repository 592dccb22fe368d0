// The id of a request: in its response, in every line of the log that it causes, and on the events that it adds. A client or a
// proxy may choose it, so that its own log and the gateway's are read together.

import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { holdsCardNumber } from "../payment/stray-card-number.ts";

export const REQUEST_ID = "x-request-id";

/** As proxies, clients and tracing systems write ids: UUIDs, hexadecimal, base64, some of several parts. */
const WELL_FORMED = /^[\w.:+/=-]{1,64}$/;

/** The client's, if it is well-formed and holds no card number, since it will be in logs. Otherwise a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const sent = headers[REQUEST_ID];
  return typeof sent === "string" && WELL_FORMED.test(sent) && !holdsCardNumber(sent) ? sent : randomUUID();
}

/** For the response; more than once does no harm. */
export const tellRequestId = (reply: FastifyReply): FastifyReply => reply.header(REQUEST_ID, reply.request.id);
