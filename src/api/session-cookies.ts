// The cookies of a browser that signed in: its session, and that somebody signed in to an account on it before. No script reads them,
// and no other site's page sends them (RFC 6265bis: HttpOnly, SameSite=Strict, the prefixes __Host- and __Secure-).

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Mode } from "../settings.ts";

const SESSION = "faregate_session";
const DEVICE = "faregate_device";
const A_YEAR_SECONDS = 365 * 86_400;

export interface SessionCookies {
  session(request: FastifyRequest): string | undefined;
  device(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, session: string, device?: string): void;
  clear(reply: FastifyReply): void;
}

/** In live mode browsers send them over TLS only; in the sandbox, wherever it is reached by TLS. */
export function sessionCookies(mode: Mode, basePath = ""): SessionCookies {
  const live = mode === "live";
  // A cookie whose name begins with __Host- is for all of a host: others may share it with a gateway that has a path of its own.
  const prefix = basePath === "" ? "__Host-" : "__Secure-";
  const find = ({ headers: { cookie = "" } }: FastifyRequest, name: string) =>
    cookieOf(`${prefix}${name}`, cookie) ?? (live ? undefined : cookieOf(name, cookie));
  const written = ({ request }: FastifyReply, name: string, value: string, seconds?: number) => {
    const secure = live || request.protocol === "https";
    const until = seconds === undefined ? "" : `; Max-Age=${seconds}`;
    return `${secure ? prefix : ""}${name}=${value}; Path=${basePath}/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}${until}`;
  };
  return {
    session: (request) => find(request, SESSION),
    device: (request) => find(request, DEVICE),
    set: (reply, session, device) => {
      reply.header("set-cookie", written(reply, SESSION, session));
      if (device !== undefined) reply.header("set-cookie", written(reply, DEVICE, device, A_YEAR_SECONDS));
    },
    clear: (reply) => void reply.header("set-cookie", written(reply, SESSION, "", 0)),
  };
}

/**
 * Of several with one name the first counts: it has the most exact path. Values are of our own making: letters, digits, `_.-`. The others are
 * left as they came: to take 5,000 of them apart took a millisecond, several times a request, for whoever sends them.
 */
function cookieOf(name: string, header: string): string | undefined {
  for (let at = header.indexOf(name); at !== -1; ) {
    const end = header.indexOf(";", at);
    const pair = header.slice(header.lastIndexOf(";", at) + 1, end === -1 ? undefined : end);
    const equals = pair.indexOf("=");
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
    at = end === -1 ? -1 : header.indexOf(name, end);
  }
  return undefined;
}
