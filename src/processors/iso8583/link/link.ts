// The link to a host: one line or several, many questions at once, each with exactly one reply. It tells apart what was
// never sent from what was sent and not answered: a byte that was handed to a socket counts as sent.

import type { Clock } from "../../../clock.ts";
import type { ProcessorLog } from "../../kind.ts";
import type { Health } from "../../processor.ts";
import { carried } from "../codec/dialect.ts";
import { encodeFrame } from "../codec/frames.ts";
import type { Message } from "../codec/message.ts";
import type { Connection, Peer } from "./connection.ts";
import { Line } from "./line.ts";
import { Pending, type Reply } from "./pending.ts";

export interface LinkParts {
  readonly clock: Clock;
  readonly log: ProcessorLog;
  readonly chance: () => number;
}

/** Questions in flight or waiting for a connection; more are refused unsent. */
const MOST_QUESTIONS = 10_000;

export class Link {
  readonly #peer: Peer;
  readonly #connections: number;
  readonly #parts: LinkParts;
  readonly #log: ProcessorLog;
  readonly #pending: Pending;
  readonly #waiting = new Set<() => void>();
  #lines: readonly Line[] | undefined;
  #closed = false;
  #turn = 0;

  /** Connects nothing yet: the first question does. */
  constructor(peer: Peer, connections: number, parts: LinkParts) {
    this.#peer = peer;
    this.#pending = new Pending(peer.dialect);
    this.#connections = connections;
    this.#parts = parts;
    this.#log = calmed(parts.log);
  }

  /**
   * Ends at the signal at the latest, and never rejects for what the host does. Throws a CodecFault, before anything
   * is sent, for a question that does not fit the message format.
   */
  async ask(question: Message, signal: AbortSignal): Promise<Reply> {
    const frame = encodeFrame(carried(this.#peer.dialect, question), this.#peer);
    const connection = await this.#connection(signal);
    if (typeof connection === "string") return { kind: "not-sent", why: connection };
    // Either may have ended in the instant between.
    if (signal.aborted || !connection.free) return this.ask(question, signal);
    return new Promise((resolve) => {
      const finish = (reply: Reply) => {
        signal.removeEventListener("abort", expire);
        resolve(reply);
      };
      const forget = this.#pending.add(question, connection, finish);
      const expire = () => {
        forget();
        finish({ kind: "unanswered", why: "The deadline passed before the answer came" });
      };
      signal.addEventListener("abort", expire, { once: true });
      connection.write(frame);
    });
  }

  /** Whether the host answers an echo now. */
  async health(signal: AbortSignal): Promise<Health> {
    const connection = await this.#connection(signal);
    if (typeof connection === "string") return { reachable: false, detail: connection };
    const reachable = await connection.ask("echo", signal);
    return { reachable, detail: reachable ? "The host answers echoes" : "The host did not answer an echo" };
  }

  /** What is in flight ends as unanswered; nothing is sent any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pending.giveUp("The link was closed before the answer came");
    this.#tell();
    await Promise.all((this.#lines ?? []).map((line) => line.close()));
  }

  /** One that is ready, as soon as there is one; or why there is none. */
  async #connection(signal: AbortSignal): Promise<Connection | string> {
    for (;;) {
      if (this.#closed) return "The link is closed";
      if (signal.aborted) return "The deadline passed before anything was sent";
      if (this.#pending.size + this.#waiting.size >= MOST_QUESTIONS) return "Too many questions are in flight";
      this.#lines ??= Array.from({ length: this.#connections }, () => this.#line());
      const ready = this.#lines.flatMap((line) => line.ready ?? []).filter((connection) => !connection.congested);
      const next = ready[this.#turn++ % ready.length];
      if (next !== undefined) return next;
      if (this.#lines.some((line) => line.ready)) return "The host takes no more messages";
      if (!this.#lines.some((line) => line.hopeful)) return `No connection to the host: ${this.#lines[0]?.trouble}`;
      await this.#change(signal);
    }
  }

  #line(): Line {
    return new Line(this.#peer, {
      clock: this.#parts.clock,
      log: this.#log,
      chance: this.#parts.chance,
      changed: () => this.#tell(),
      message: (message) => this.#answered(message),
      lost: (connection, why) => this.#pending.giveUp(`No answer, and then ${why}`, connection),
    });
  }

  #answered(message: Message): boolean {
    const unused = this.#pending.answer(message);
    if (unused !== null)
      this.#log.warn({ type: message.mti, stan: message.get(11) }, `an answer was not used: ${unused}`);
    return unused === null;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", go, { once: true });
    });
  }

  #tell(): void {
    for (const go of [...this.#waiting]) go();
  }
}

const LINE_EVERY_MS = 1_000;

/** Logs the same text once a second at most, with how often it was left out: no host fills the disk by sending rubbish. */
export function calmed(log: ProcessorLog, now: () => number = () => performance.now()): ProcessorLog {
  const told = new Map<string, { at: number; leftOut: number }>();
  const calm = (tell: ProcessorLog["warn"]) => (facts: object, text: string) => {
    const before = told.get(text);
    if (before !== undefined && now() - before.at < LINE_EVERY_MS) {
      before.leftOut++;
      return;
    }
    told.set(text, { at: now(), leftOut: 0 });
    tell(before?.leftOut ? { ...facts, leftOut: before.leftOut } : facts, text);
  };
  return { info: calm((facts, text) => log.info(facts, text)), warn: calm((facts, text) => log.warn(facts, text)) };
}
