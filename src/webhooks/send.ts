// Sends one webhook over HTTP: a POST of which only the status counts. Redirects are not followed, since they could lead anywhere.
// Whatever the receiver does, time and bytes are bounded.

import type { LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as askSecured } from "node:https";
import type { LookupFunction } from "node:net";
import { request as askPlain } from "../node-http.ts";
import type { Mode } from "../settings.ts";
import { boundBytes } from "../shares/bound-bytes.ts";
import { ONCE, openConnections } from "./connections.ts";
import { NameFault, type Names, openNames } from "./names.ts";
import { isPublic, targetOf } from "./targets.ts";

/** For all of it: the look-up, the connection, a second one where the first was stale, and the answer. */
const TIMEOUT_MS = 15_000;
/** Of an answer whose status is there, for the rest of it, so that the connection can serve again. */
const REST_MS = 1_000;
/** Of an answer, whatever it is made of: interim answers, headers, body, trailers. */
const MOST_READ = 65_536;

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
  done: (fault: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** For tests. */
export interface SenderOptions {
  readonly names?: Names;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

interface Attempt {
  /** On a connection that nothing went over before. */
  readonly fresh: boolean;
  readonly leftMs: number;
  readonly signal: AbortSignal;
}

export function openSender(
  mode: Mode,
  { names = openNames(), resolve = lookupBy(names), timeoutMs = TIMEOUT_MS }: SenderOptions = {},
): Sender {
  const connections = openConnections();
  const lookup = checkedLookup(resolve, mode === "live" ? isPublic : () => true);

  const attempt = (url: URL, { headers, body }: Post, { fresh, leftMs, signal }: Attempt) =>
    new Promise<Reply | "stale">((resolve) => {
      const secured = url.protocol === "https:";
      const options: RequestOptions = {
        method: "POST",
        lookup,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        agent: connections[secured ? "https:" : "http:"],
      };
      const request = (secured ? askSecured : askPlain)(url, fresh ? { ...options, ...ONCE } : options);
      const giveUp = () => request.destroy(new GivenUp());
      const timer = setTimeout(() => request.destroy(new TooLate()), leftMs);
      signal.addEventListener("abort", giveUp, { once: true });
      let reply: Reply | "stale" = { kind: "unanswered", why: "the connection was closed" };
      request.once("socket", (socket) => boundBytes(request, socket, MOST_READ, () => new TooMuch()));
      request.once("response", (response) => {
        reply = { kind: "answered", status: response.statusCode ?? 0, retryAfterMs: retryAfter(response, Date.now()) };
        drain(request, response);
      });
      request.on("error", (fault) => {
        if (reply !== "stale" && reply.kind === "answered") return;
        // A kept connection that the receiver closed at this moment: nothing was read of it there.
        const stale =
          request.reusedSocket && "code" in fault && (fault.code === "ECONNRESET" || fault.code === "EPIPE");
        reply = stale && !fresh ? "stale" : { kind: "unanswered", why: reasonOf(fault, timeoutMs) };
      });
      request.once("close", () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        resolve(reply);
      });
      if (signal.aborted) giveUp();
      request.end(body);
    });

  return {
    send: async (post, signal) => {
      // Looked at again: an address of the literal kind is connected to without a look-up.
      const url = targetOf(post.url, mode);
      if (url === undefined) return { kind: "unanswered", why: new AddressRefused().message };
      const started = performance.now();
      const reply = await attempt(url, post, { fresh: false, leftMs: timeoutMs, signal });
      if (reply !== "stale") return reply;
      const leftMs = Math.max(timeoutMs - (performance.now() - started), 0);
      return (await attempt(url, post, { fresh: true, leftMs, signal })) as Reply;
    },
    close: connections.close,
  };
}

class TooLate extends Error {}
class TooMuch extends Error {}
class GivenUp extends Error {}
class AddressRefused extends Error {
  override readonly message = "its address is not one of the public internet";
}

/**
 * Finds the addresses of a name, and gives them on only if each is allowed: the connection is made to these and to no
 * others, whatever the name stands for a moment later.
 */
export function checkedLookup(resolve: Resolve, allowed: (address: string) => boolean = isPublic): LookupFunction {
  return (hostname, { family, all }, done) => {
    const one = typeof family === "number" ? { family } : {};
    resolve(hostname, { ...one, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault || first === undefined) return done(fault ?? new AddressRefused(), []);
      if (!addresses.every(({ address }) => allowed(address))) return done(new AddressRefused(), []);
      if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

const lookupBy =
  (names: Names): Resolve =>
  (hostname, { family }, done) =>
    void names.find(hostname).then(
      (found) => done(null, family ? found.filter((one) => one.family === family) : [...found]),
      (fault: Error) => done(fault, []),
    );

/** Once its status is there, the rest is let by, and what does not end soon is ended. */
function drain(request: ClientRequest, response: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), REST_MS);
  request.once("close", () => clearTimeout(timer));
  response.on("error", () => undefined).resume();
  // It answered without reading what it was sent, and will not.
  response.once("end", () => {
    if (!request.writableFinished) request.destroy();
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
  if (fault instanceof TooMuch) return "more came than an answer may hold";
  if (fault instanceof AddressRefused || fault instanceof NameFault) return fault.message;
  if (fault instanceof GivenUp) return "the gateway stopped";
  return "code" in fault && typeof fault.code === "string" ? fault.code : "the connection failed";
}
