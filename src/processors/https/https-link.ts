// Requests to a processor's HTTP API over connections that are kept. What counts is told apart: an answer that is whole,
// nothing sent, or neither. Nothing is sent a second time, and no redirect is followed.

import type { ClientRequest, Agent as HttpAgent, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { Agent, request as httpRequest } from "../../node-http.ts";
import { boundBytes } from "../../shares/bound-bytes.ts";
import type { NoAnswer } from "../processor.ts";

export interface HttpCall {
  readonly method: "GET" | "POST";
  /** With its query, if any. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly kind: "answered";
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * A payment has some 10 KB, a page of a hundred refunds 150. To take 4 MiB of brackets apart would hold the event loop for more
 * than a second.
 */
const LONGEST_ANSWER = 512 * 1024;
/** Of what is read by a command, and not between sales: a page of a report. */
export const LONGEST_PAGE = 4 * 1024 * 1024;
/** Interim answers, headers and trailers. */
const MOST_BESIDE = 64 * 1024;
/** A piece takes as long to read as a thousand bytes: half a mebibyte in chunks of a byte would hold the event loop for a second. */
const FREE_PIECES = 1_000;
const LEAST_BYTES_A_PIECE = 128;
/** A connection that was idle for so long is closed by us, before the other side does it under a question. */
const IDLE_MS = 20_000;

/** A processor's HTTP API at one base address. Its certificate is checked as the runtime does by default. */
export class HttpsLink {
  readonly #base: URL;
  readonly #longestAnswer: number;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #closing = new AbortController();
  /** Sockets over which a request leaves as soon as it is written. */
  readonly #ready = new WeakSet<Socket>();

  /**
   * @param base `https:`; `http:` is for hosts on this machine
   * @param longestAnswer in bytes: one that is longer is as good as none
   */
  constructor(base: URL, connections: number, longestAnswer = LONGEST_ANSWER) {
    this.#base = base;
    this.#longestAnswer = longestAnswer;
    const options = { keepAlive: true, maxSockets: connections, timeout: IDLE_MS, scheduling: "lifo" } as const;
    this.#agent = this.#secure ? new HttpsAgent({ ...options, minVersion: "TLSv1.2" }) : new Agent(options);
  }

  /** Of an answer with all that is around its body. */
  get #mostBytes(): number {
    return this.#longestAnswer + this.#longestAnswer / 8 + MOST_BESIDE;
  }

  get #secure(): boolean {
    return this.#base.protocol === "https:";
  }

  ask(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer | NoAnswer> {
    const noMore = this.#closing.signal.aborted
      ? "the processor is closed"
      : signal.aborted
        ? "too late to send"
        : null;
    if (noMore !== null) return Promise.resolve({ kind: "not-sent", why: noMore });
    return new Promise((resolve) => {
      let sent = false;
      const noAnswer = (why: string) => resolve({ kind: sent ? "unanswered" : "not-sent", why });
      const request = this.#request(call, AbortSignal.any([signal, this.#closing.signal]));
      request.on("socket", (socket) => {
        boundBytes(request, socket, this.#mostBytes, () => new Error(`more than ${this.#mostBytes} bytes came`));
        this.#onceReady(socket, () => (sent = true));
      });
      request.on("error", (fault) => noAnswer(wordsOf(fault)));
      request.on("response", (response) => {
        wholeBody(response, this.#longestAnswer).then(
          (body) => resolve({ kind: "answered", status: response.statusCode ?? 0, headers: response.headers, body }),
          (fault: Error) => {
            request.destroy();
            noAnswer(`half an answer: ${wordsOf(fault)}`);
          },
        );
      });
      request.end(call.body);
    });
  }

  /** Ends what is in flight, and sends nothing after it. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#agent.destroy();
  }

  #request({ method, path, headers, body }: HttpCall, signal: AbortSignal): ClientRequest {
    const options = {
      method,
      agent: this.#agent,
      signal,
      headers: { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) },
    };
    const url = new URL(path, this.#base);
    return this.#secure ? httpsRequest(url, options) : httpRequest(url, options);
  }

  /** With TLS that is once the other side's certificate was found good. */
  #onceReady(socket: Socket, ready: () => void): void {
    if (this.#ready.has(socket)) ready();
    else
      socket.once(this.#secure ? "secureConnect" : "connect", () => {
        this.#ready.add(socket);
        ready();
      });
  }
}

/** @throws if it is longer, ends before its end, or comes in very many small pieces */
function wholeBody(response: IncomingMessage, longest: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    let given = false;
    const giveUp = (why: string) => {
      given = true;
      reject(new Error(why));
    };
    response.on("data", (piece: Buffer) => {
      // What else has come with it is told of all the same.
      if (given) return;
      length += piece.length;
      pieces.push(piece);
      if (length > longest) giveUp(`more than ${longest} bytes`);
      else if (pieces.length > FREE_PIECES && length < pieces.length * LEAST_BYTES_A_PIECE)
        giveUp("it comes in very many small pieces");
    });
    response.on("end", () => (response.complete ? resolve(Buffer.concat(pieces)) : giveUp("the connection ended")));
    response.on("error", reject);
    response.on("close", () => giveUp("the connection ended"));
  });
}

/** With the system's word for it, such as ECONNREFUSED. */
function wordsOf(fault: Error & { readonly code?: unknown }): string {
  if (fault.name === "AbortError") return "no answer in time";
  return typeof fault.code === "string" ? `${fault.code}: ${fault.message}` : fault.message;
}
