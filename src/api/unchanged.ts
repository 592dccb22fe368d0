// What a browser's session has read already is not sent to it again: a response has an ETag, and a request that names it in If-None-Match
// is answered 304 without a body. Pages of the console ask every few seconds, and seldom is anything new.

import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { namesTag } from "./openapi/cached-response.ts";

/**
 * For the routes that are registered after it. Responses to tokens have no ETag, nor those that are sent in pieces, such as exports.
 *
 * The request is worked on in full: who asks, what they may read, and the body are those of now. The tag is a hash of that body. A tag
 * made from rows would miss what changes while no row does, such as a status that follows from the clock.
 */
export function leaveOutUnchanged(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (!request.session || request.method !== "GET" || reply.statusCode !== 200 || !isWhole)
      return done(null, payload);
    const etag = `"${hash("sha256", payload, "base64url")}"`;
    reply.header("etag", etag);
    if (!namesTag(request.headers["if-none-match"], etag)) return done(null, payload);
    reply.code(304).removeHeader("content-length").removeHeader("content-type");
    done(null, null);
  });
}
