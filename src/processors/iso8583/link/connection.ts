// One connection to a host, from the attempt to its end: sign-on, frames in and out, echo when nothing is heard. It is
// not opened again; that is a line's work (line.ts).

import type { Socket } from "node:net";
import type { Clock } from "../../../clock.ts";
import type { ProcessorLog } from "../../kind.ts";
import { carried, type Dialect, isWhole } from "../codec/dialect.ts";
import { CodecFault } from "../codec/fault.ts";
import { encodeFrame, FrameReader, type Framing } from "../codec/frames.ts";
import type { Message } from "../codec/message.ts";
import { decodeMessage } from "../codec/message-codec.ts";
import {
  echoAnswer,
  isEchoQuestion,
  NETWORK_CODE,
  type NetworkWork,
  networkMessage,
} from "../messages/network-message.ts";
import { type Address, openSocket } from "./socket.ts";

export interface Peer extends Address {
  readonly framing: Framing;
  readonly dialect: Dialect;
  readonly echoIntervalMs: number;
}

/** What becomes of a connection. `ended` is called once, and nothing after it. */
export interface Watcher {
  readonly ready: () => void;
  /** A question about money left by it. */
  readonly used: () => void;
  /** @returns whether it answered a question */
  readonly message: (message: Message) => boolean;
  readonly ended: (why: string) => void;
}

/** From the first packet to the answer to the sign-on. */
const SIGN_ON_WITHIN_MS = 5_000;
const SIGN_OFF_WITHIN_MS = 250;
/** More than this unsent means that the host takes nothing any more. */
const MOST_UNSENT_BYTES = 1_048_576;
/** An echo is given a little less than an interval, so that silence is found within two. */
const ECHO_PATIENCE = 0.9;

export class Connection {
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #log: ProcessorLog;
  readonly #watcher: Watcher;
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  /** Network questions that wait for their answer, by STAN. */
  readonly #asked = new Map<string, { readonly work: NetworkWork; readonly answered: (approved: boolean) => void }>();
  #state: "signing-on" | "ready" | "ended" = "signing-on";
  #timer: NodeJS.Timeout;
  #heardAt = performance.now();
  #echoAskedAt = 0;
  #nextStan = 1;
  #answers = 0;
  #spent = false;

  constructor(peer: Peer, clock: Clock, log: ProcessorLog, watcher: Watcher) {
    this.#peer = peer;
    this.#clock = clock;
    this.#log = log;
    this.#watcher = watcher;
    this.#reader = new FrameReader(peer.framing);
    this.#socket = openSocket(peer, () => this.#signOn());
    this.#socket.on("data", (chunk) => this.#read(chunk));
    this.#socket.on("error", (fault) => this.#end(`the connection broke: ${codeOf(fault)}`));
    this.#socket.on("close", () => this.#end("the host closed the connection"));
    this.#timer = setTimeout(() => this.#end("no sign-on in time"), SIGN_ON_WITHIN_MS);
  }

  get ready(): boolean {
    return this.#state === "ready" && this.#socket.writable;
  }

  /** Whether a question may go by it. */
  get free(): boolean {
    return this.ready && !this.#spent;
  }

  /** No other question goes by it. */
  spend(): void {
    this.#spent = true;
  }

  /** To questions about money. */
  get answers(): number {
    return this.#answers;
  }

  get congested(): boolean {
    return this.#socket.writableLength > MOST_UNSENT_BYTES;
  }

  /** Of a question about money. From here on these bytes count as sent, whether or not they arrive. */
  write(frame: Buffer): void {
    this.#socket.write(frame);
    this.#watcher.used();
  }

  /**
   * @param signal nobody waits for the answer any more
   * @returns whether the host approved; false also when the connection or the wait ended first
   */
  ask(work: NetworkWork, signal?: AbortSignal): Promise<boolean> {
    if (this.#state === "ended" || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const stan = String(this.#nextStan).padStart(6, "0");
      this.#nextStan = (this.#nextStan % 999_999) + 1;
      const answered = (approved: boolean) => {
        this.#asked.delete(stan);
        signal?.removeEventListener("abort", tooLate);
        resolve(approved);
      };
      const tooLate = () => answered(false);
      signal?.addEventListener("abort", tooLate, { once: true });
      this.#asked.set(stan, { work, answered });
      this.#socket.write(encodeFrame(networkMessage(work, stan, this.#clock.now()), this.#peer));
    });
  }

  /** Signs off, if there is somebody to hear it, and ends. */
  async close(why: string): Promise<void> {
    if (this.ready) {
      const signedOff = this.ask("sign-off");
      const tooLong = new Promise((resolve) => setTimeout(resolve, SIGN_OFF_WITHIN_MS).unref());
      await Promise.race([signedOff, tooLong]);
    }
    this.#end(why);
  }

  #signOn(): void {
    void this.ask("sign-on").then((approved) => {
      if (this.#state !== "signing-on") return;
      if (!approved) {
        this.#end("the host refused the sign-on");
        return;
      }
      this.#state = "ready";
      this.#listen();
      this.#watcher.ready();
    });
  }

  /** Asks for an echo once nothing was heard for an interval, and ends what stays silent. */
  #listen(): void {
    clearTimeout(this.#timer);
    const { echoIntervalMs } = this.#peer;
    const now = performance.now();
    if (now - this.#heardAt < echoIntervalMs) {
      this.#listenIn(this.#heardAt + echoIntervalMs - now);
      return;
    }
    if (this.#echoAskedAt < this.#heardAt) {
      this.#echoAskedAt = now;
      void this.ask("echo");
    }
    const patienceMs = this.#echoAskedAt + echoIntervalMs * ECHO_PATIENCE - now;
    if (patienceMs > 0) {
      this.#listenIn(patienceMs);
      return;
    }
    // Where this process was slow and not the host, what the host said is read first.
    setImmediate(() => {
      if (this.#state === "ended") return;
      if (this.#echoAskedAt < this.#heardAt) this.#listen();
      else this.#end("the host went silent");
    });
  }

  #listenIn(ms: number): void {
    this.#timer = setTimeout(() => this.#listen(), ms);
    this.#timer.unref();
  }

  #read(chunk: Buffer): void {
    if (this.#state === "ended") return;
    const { frames, fault } = this.#reader.push(chunk);
    for (const frame of frames) this.#receive(frame);
    if (fault) this.#end(`the host sent what cannot be cut into messages: ${fault.message}`);
  }

  #receive(frame: Buffer): void {
    let message: Message;
    try {
      message = decodeMessage(frame, this.#peer.dialect);
    } catch (fault) {
      if (!(fault instanceof CodecFault)) throw fault;
      this.#log.warn({ fault: fault.message, bytes: frame.length }, "the host sent something that is not a message");
      return;
    }
    this.#heardAt = performance.now();
    if (isEchoQuestion(message)) this.#answerEcho(message);
    else if (message.mti === "0810") this.#hear(message);
    else if (this.#watcher.message(message)) this.#answers++;
  }

  #answerEcho(question: Message): void {
    if (!this.congested && isWhole(this.#peer.dialect, question))
      this.#socket.write(encodeFrame(carried(this.#peer.dialect, echoAnswer(question)), this.#peer));
  }

  #hear(answer: Message): void {
    const stan = answer.get(11) ?? "";
    const asked = this.#asked.get(stan);
    if (asked === undefined || answer.get(70) !== NETWORK_CODE[asked.work]) {
      this.#log.warn({ stan }, "the host answered a network message that was not sent");
      return;
    }
    asked.answered(answer.get(39) === "00");
  }

  #end(why: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    clearTimeout(this.#timer);
    this.#socket.destroy();
    if (this.#reader.unfinished) this.#log.warn({}, "a connection ended within a message");
    for (const { answered } of [...this.#asked.values()]) answered(false);
    this.#watcher.ended(why);
  }
}

/** `ECONNREFUSED` and the like: a system's message may name addresses, its code does not. */
const codeOf = (fault: Error): string => ("code" in fault && typeof fault.code === "string" ? fault.code : fault.name);
