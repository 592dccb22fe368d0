// Heavy requests: lists, exports, large bodies and what names a long transaction. Behind the door, when it is known who sends them and that they keep within
// their rates, they are passed on to a process of their own, if it is there, and its response is passed back as it is read.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { LeftBodies } from "./body/read-bodies.ts";
import { callerOf } from "./callers.ts";
import { readerGone, untilBroken } from "./long-responses.ts";
import type { LongTransactions } from "./long-transactions.ts";
import { RequestFault } from "./request-fault.ts";
import { REQUEST_ID } from "./request-id.ts";
import { sharedAnswers, type WorkersAnswer } from "./shared-answers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whatever its body: much is read, or written, to answer it. */
    heavy?: boolean;
    /** The answer follows from the merchant and the address, whoever asks: asked for at once, it is made once. */
    equal?: boolean;
  }
}

export interface HeavyRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values by turns, as they came. */
  readonly headers: readonly string[];
  /** Called once: while the response is waited for, nobody here keeps the body in memory. */
  readonly takeBody: () => Buffer | undefined;
  /** The reader is gone: the response is not made any further. */
  readonly signal: AbortSignal | undefined;
}

export interface HeavyWorker {
  /** Whether it can be asked now. Asked often enough in a short time, it starts. */
  isThere(): boolean;
  /** The head of its response has come, its body is still to be read. @throws WorkerGone */
  ask(request: HeavyRequest): Promise<IncomingMessage>;
}

/** The worker died, or was not there. */
export class WorkerGone extends Error {
  /** Whether it may have begun what it was asked. */
  readonly mayHaveBegun: boolean;
  /** The body of a request that it surely did not begin. */
  readonly unsent: Buffer | undefined;
  constructor(cause: unknown, mayHaveBegun: boolean, unsent?: Buffer) {
    super("the process for heavy requests is gone", { cause });
    this.mayHaveBegun = mayHaveBegun;
    this.unsent = unsent;
  }
}

/** The sandbox's clock, in milliseconds ahead of real time: what the worker reads shows the same day. */
export const CLOCK_AHEAD = "faregate-clock-ahead";

/** To be called where it is known who calls. @param aheadMs of the sandbox's clock; 0 in live mode */
export function passOnHeavyRequests(
  app: FastifyInstance,
  worker: HeavyWorker,
  bodies: LeftBodies,
  long: LongTransactions,
  aheadMs: () => number,
): void {
  const ask = (request: FastifyRequest, signal?: AbortSignal) => asked(worker, bodies, request, signal, aheadMs());
  const shared = sharedAnswers();
  const answerOf = (request: FastifyRequest, reply: FastifyReply): Promise<WorkersAnswer | undefined> => {
    // What a payment began is brought to its end, whoever still waits for it.
    if (!onlyReads(request)) return ask(request);
    const gone = readerGone(reply);
    const equal = request.routeOptions.config.equal === true && request.method === "GET";
    if (!equal || bodies.has(request)) return ask(request, gone);
    return shared.ask([callerOf(request).merchantId, request.url], gone, (signal) => ask(request, signal));
  };
  const isPassedOn = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const answer = worker.isThere() ? await answerOf(request, reply) : undefined;
    if (answer === undefined) await bodies.read(request);
    else passBack(answer, reply);
    return answer !== undefined;
  };
  // Where a hook's promise is waited for, Fastify goes on to the route if the reader leaves before the response was written.
  app.addHook("preValidation", (request, reply, done) => {
    if (!bodies.has(request) && !isHeavy(request, long)) return done();
    isPassedOn(request, reply).then((passedOn) => passedOn || done(), done);
  });
}

/** What has a body is heavy if its body was left: once it is read here, the rest is done here. */
const isHeavy = (request: FastifyRequest, long: LongTransactions): boolean =>
  onlyReads(request) && (request.routeOptions.config.heavy === true || long.isNamedBy(request));

/** Begun twice, it does no harm. The response to HEAD says how long that to GET would be, so most of them cost as much. */
export const onlyReads = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD";

/** Undefined if nothing was begun, or nothing that could do harm twice. */
async function asked(
  worker: HeavyWorker,
  bodies: LeftBodies,
  request: FastifyRequest,
  signal: AbortSignal | undefined,
  aheadMs: number,
): Promise<WorkersAnswer | undefined> {
  const { method, raw } = request;
  const { url: path = "/", rawHeaders } = raw;
  const told = ["x-forwarded-for", request.ip, CLOCK_AHEAD, String(aheadMs), REQUEST_ID, request.id];
  const headers = [...passedOn(rawHeaders), ...told];
  try {
    const body = await worker.ask({ method, path, headers, signal, takeBody: () => bodies.take(request) });
    return { status: body.statusCode ?? 500, headers: body.headers, body };
  } catch (fault) {
    signal?.throwIfAborted();
    if (!(fault instanceof WorkerGone)) throw fault;
    if (fault.mayHaveBegun && !onlyReads(request)) throw lost(request, fault.cause);
    if (fault.unsent !== undefined) bodies.giveBack(request, fault.unsent);
    return undefined;
  }
}

function lost(request: FastifyRequest, cause: unknown): RequestFault {
  request.log.error({ fault: String(cause) }, "a request was lost with the process for heavy requests");
  return new RequestFault(500, { fatal: [LOST] });
}

const LOST =
  "It is not known what became of this request. The outcome follows within seconds: before you try again, look the " +
  "transaction up, or send the same request with the same Idempotency-Key.";

/** Of one connection (RFC 9110, section 7.6.1), or for the gateway to say. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["content-length", "date", "expect", "forwarded", "x-forwarded-for", CLOCK_AHEAD, REQUEST_ID],
]);

function passedOn(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!OF_ONE_CONNECTION.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function passBack({ status, headers, body }: WorkersAnswer, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && (name === "content-length" || !OF_ONE_CONNECTION.has(name))) reply.header(name, value);
  reply.code(status);
  if (Buffer.isBuffer(body)) return void reply.send(body);
  const gone = readerGone(reply);
  // Nobody reads it any more: left as it is, it would keep a connection to the worker for good.
  const drop = () => void body.destroy();
  if (gone.aborted) drop();
  else gone.addEventListener("abort", drop, { once: true });
  const read = untilBroken(whileRead(body, reply.request, gone), reply);
  reply.send(Readable.from(read, { objectMode: false, highWaterMark: 0 }));
}

/** That its reader left is no fault; that the worker died is one of its own, whatever became of a connection. */
async function* whileRead(body: IncomingMessage, request: FastifyRequest, gone: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (fault) {
    gone.throwIfAborted();
    if (!onlyReads(request)) throw lost(request, fault);
    throw new Error("a response of the process for heavy requests broke off", { cause: fault });
  }
}
