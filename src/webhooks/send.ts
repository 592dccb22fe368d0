// One webhook over HTTP: a POST whose status is all that counts. Redirects are not followed, since they could lead anywhere,
// and what the receiver says is not read.

import { type LookupAddress, lookup } from "node:dns";
import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import type { Mode } from "../settings.ts";
import { isPublic, targetOf } from "./targets.ts";

const TIMEOUT_MS = 15_000;
/** Of a body, so that the connection can serve again; one with more is closed. */
const MOST_READ = 65_536;
const IDLE_MS = 20_000;

export type Reply =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number }
  /** In a few words for the operator. */
  | { readonly kind: "unanswered"; readonly why: string };

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sender {
  /** Never throws. @param signal gives it up */
  send(post: Post, signal: AbortSignal): Promise<Reply>;
  close(): void;
}

type Resolve = (
  hostname: string,
  options: { readonly all: true; readonly family?: number },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** For tests. */
export interface SenderOptions {
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

export function openSender(
  mode: Mode,
  { resolve = lookup as Resolve, timeoutMs = TIMEOUT_MS }: SenderOptions = {},
): Sender {
  const kept = { keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS };
  const agents = { "http:": new http.Agent(kept), "https:": new https.Agent(kept) };
  const checked = mode === "live" ? { lookup: checkedLookup(resolve) } : {};

  const attempt = (url: URL, { headers, body }: Post, fresh: boolean, signal: AbortSignal) =>
    new Promise<Reply | "stale">((settle) => {
      const { request: ask } = url.protocol === "https:" ? https : http;
      const options: RequestOptions = {
        method: "POST",
        ...checked,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        agent: fresh ? false : agents[url.protocol as keyof typeof agents],
      };
      const request = ask(url, options);
      const giveUp = () => request.destroy(new GivenUp());
      const timer = setTimeout(() => request.destroy(new TooLate()), timeoutMs);
      signal.addEventListener("abort", giveUp, { once: true });
      request.once("close", () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        settle({ kind: "unanswered", why: "the connection was closed" });
      });
      request.once("response", (response) => {
        settle({ kind: "answered", status: response.statusCode ?? 0, retryAfterMs: retryAfter(response, Date.now()) });
        drain(response);
      });
      request.on("error", (fault) => {
        // A kept connection that the receiver closed at this moment: nothing was read of it there.
        const stale =
          request.reusedSocket && "code" in fault && (fault.code === "ECONNRESET" || fault.code === "EPIPE");
        settle(stale && !fresh ? "stale" : { kind: "unanswered", why: reasonOf(fault, timeoutMs) });
      });
      if (signal.aborted) giveUp();
      request.end(body);
    });

  return {
    send: async (post, signal) => {
      // Looked at again: an address of the literal kind is connected to without a look-up.
      const url = targetOf(post.url, mode);
      if (url === undefined) return { kind: "unanswered", why: new AddressRefused().message };
      const reply = await attempt(url, post, false, signal);
      if (reply !== "stale") return reply;
      return (await attempt(url, post, true, signal)) as Reply;
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

class TooLate extends Error {}
class GivenUp extends Error {}
class AddressRefused extends Error {
  override readonly message = "its address is not one of the public internet";
}

/**
 * Finds the addresses of a name, and gives them on only if each is public: the connection is made to these and to no
 * others, whatever the name stands for a moment later.
 */
export function checkedLookup(resolve: Resolve): LookupFunction {
  return (hostname, { family, all }, done) => {
    const one = typeof family === "number" ? { family } : {};
    resolve(hostname, { ...one, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault || first === undefined) return done(fault ?? new AddressRefused(), []);
      if (!addresses.every(({ address }) => isPublic(address))) return done(new AddressRefused(), []);
      if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function drain(response: IncomingMessage): void {
  let left = MOST_READ;
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) response.destroy();
  });
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfter({ headers: { "retry-after": text = "" } }: IncomingMessage, now: number): number {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}

/** Errors of TLS and of the network carry a code; their messages may hold what the receiver sent. */
function reasonOf(fault: Error, timeoutMs: number): string {
  if (fault instanceof TooLate) return `no answer within ${timeoutMs / 1000} s`;
  if (fault instanceof AddressRefused) return fault.message;
  if (fault instanceof GivenUp) return "the gateway stopped";
  return "code" in fault && typeof fault.code === "string" ? fault.code : "the connection failed";
}
