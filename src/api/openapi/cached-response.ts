// A response that is the same for everybody, made once: its bytes, plain and compressed, with an ETag.

import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { loopTurns } from "../../shares/loop-turns.ts";

const compress = promisify(gzip);

const LARGE_BYTES = 65_536;
/** It takes a millisecond or two to hand a large document to the system: one in a turn of the event loop, round all addresses. */
const largeOnes = loopTurns(1);

export type CachedResponse = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** @param headers besides those that say how it is sent */
export function cachedResponse(bytes: Buffer, headers: Readonly<Record<string, string>>): CachedResponse {
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  let compressed: Promise<Buffer> | undefined;
  return async (request, reply) => {
    // May be kept, if the gateway is asked each time whether it still holds.
    reply.headers({ vary: "accept-encoding", "cache-control": "no-cache", ...headers, etag });
    if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return inTurn(bytes, request, reply);
    compressed ??= compress(bytes);
    return inTurn(await compressed, request, reply.header("content-encoding", "gzip"));
  };
}

async function inTurn(bytes: Buffer, { ip }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (bytes.length > LARGE_BYTES)
    await new Promise<void>((begin) => largeOnes.begin({ name: ip, known: false }, begin));
  return reply.send(bytes);
}

/** For what is large or not there yet: made at the first request, and kept. */
export function madeOnce(make: () => CachedResponse): CachedResponse {
  let made: CachedResponse | undefined;
  return (request, reply) => {
    made ??= make();
    return made(request, reply);
  };
}

/** Of If-None-Match. A proxy that compresses makes a tag a weak one (W/"…"). No tag stands within another: they are quoted. */
export const namesTag = (tags = "", etag: string): boolean => tags.trim() === "*" || tags.includes(etag);
