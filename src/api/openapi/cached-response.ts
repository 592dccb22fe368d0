// A response that is the same for everybody, made once: its bytes, plain and compressed, with an ETag.

import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const compress = promisify(gzip);

export type CachedResponse = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** @param headers besides those that say how it is sent */
export function cachedResponse(bytes: Buffer, headers: Readonly<Record<string, string>>): CachedResponse {
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  let compressed: Promise<Buffer> | undefined;
  return async (request, reply) => {
    // May be kept, if the gateway is asked each time whether it still holds.
    reply.headers({ vary: "accept-encoding", "cache-control": "no-cache", ...headers, etag });
    if (names(request.headers["if-none-match"], etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return reply.send(bytes);
    compressed ??= compress(bytes);
    return reply.header("content-encoding", "gzip").send(await compressed);
  };
}

/** For what is large or not there yet: made at the first request, and kept. */
export function madeOnce(make: () => CachedResponse): CachedResponse {
  let made: CachedResponse | undefined;
  return (request, reply) => {
    made ??= make();
    return made(request, reply);
  };
}

const names = (tags: string | undefined, etag: string): boolean =>
  (tags ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*");
