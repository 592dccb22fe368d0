// A line to a host that is kept open: when its connection ends, another one is tried after a pause that grows with every failure, until the
// line is closed. A host that closes after each answer is no failure: from the first time on, each question has a connection of its own.

import type { Clock } from "../../../clock.ts";
import type { ProcessorLog } from "../../kind.ts";
import { Connection, type Peer, type Watcher } from "./connection.ts";

export interface LineParts {
  readonly clock: Clock;
  readonly log: ProcessorLog;
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
  /** The line's state has changed. */
  readonly changed: () => void;
  readonly message: Watcher["message"];
  /** Nothing more comes of what was sent by this connection. */
  readonly lost: (connection: Connection, why: string) => void;
}

/** A connection that held this long was a good one: the next pause is the shortest again. */
const GOOD_AFTER_MS = 1_000;
/** A lost connection that is tried again within so long is worth waiting for. */
const SOON_MS = 1_000;
/** A host that closes after an answer does it within so long. */
const CLOSES_WITHIN_MS = 100;
const MOST_SPENT = 64;

export class Line {
  readonly #peer: Peer;
  readonly #parts: LineParts;
  #connection: Connection | undefined;
  /** Each has had its one question, and ends when the host has answered it. */
  readonly #spent = new Set<Connection>();
  #closesAfterAnswers = false;
  #pause: NodeJS.Timeout | undefined;
  /** Connections that ended since the last one that held. */
  #failures = 0;
  #readyAt: number | undefined;
  #closed = false;
  #promising = true;
  /** Why there is no connection; empty while there is one, or the first is tried. */
  #trouble = "";

  constructor(peer: Peer, parts: LineParts) {
    this.#peer = peer;
    this.#parts = parts;
    this.#open();
  }

  /** A connection that can be asked by. */
  get ready(): Connection | undefined {
    return this.#connection?.ready ? this.#connection : undefined;
  }

  /** Whether it is worth waiting for: the first connection is tried, or one that was ready was only just lost. */
  get hopeful(): boolean {
    return !this.#closed && this.#promising;
  }

  get trouble(): string {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    const open = [...this.#spent, ...(this.#connection ? [this.#connection] : [])];
    await Promise.all(open.map((connection) => connection.close("the link was closed")));
  }

  #open(): void {
    const connection = new Connection(this.#peer, this.#parts.clock, this.#parts.log, {
      ready: () => {
        this.#readyAt = performance.now();
        this.#trouble = "";
        this.#parts.log.info(this.#address, "connected to the host and signed on");
        this.#parts.changed();
      },
      used: () => this.#used(connection),
      message: (message) => {
        const answered = this.#parts.message(message);
        if (answered && this.#spent.has(connection)) this.#seeWhetherItCloses(connection);
        return answered;
      },
      ended: (why) => this.#ended(connection, why),
    });
    this.#connection = connection;
  }

  #used(connection: Connection): void {
    if (!this.#closesAfterAnswers || this.#spent.size >= MOST_SPENT) return;
    connection.spend();
    this.#spent.add(connection);
    this.#open();
  }

  #seeWhetherItCloses(connection: Connection): void {
    setTimeout(() => {
      if (!this.#spent.delete(connection)) return;
      this.#closesAfterAnswers = false;
      void connection.close("it has had its question");
    }, CLOSES_WITHIN_MS).unref();
  }

  #ended(connection: Connection, why: string): void {
    const spent = this.#spent.delete(connection);
    if (!spent && connection !== this.#connection) return;
    if (connection.answers === 1) this.#closesAfterAnswers = true;
    if (spent) {
      this.#parts.lost(connection, why);
      return;
    }
    const wasReady = this.#readyAt !== undefined;
    const held = wasReady && performance.now() - (this.#readyAt ?? 0) >= GOOD_AFTER_MS;
    const pause = connection.answers > 0 ? 0 : pauseMs(held ? 0 : this.#failures, this.#parts.chance());
    this.#failures = connection.answers > 0 ? 0 : held ? 1 : this.#failures + 1;
    this.#promising = wasReady && pause <= SOON_MS;
    this.#readyAt = undefined;
    this.#connection = undefined;
    this.#trouble = why;
    if (!this.#closed) {
      if (pause > 0) this.#parts.log.warn({ ...this.#address, why, againInMs: pause }, "no connection to the host");
      this.#pause = setTimeout(() => this.#open(), pause);
      this.#pause.unref();
    }
    this.#parts.lost(connection, why);
    this.#parts.changed();
  }

  get #address() {
    return { host: this.#peer.host, port: this.#peer.port };
  }
}

const FIRST_MS = 100;
const LONGEST_MS = 15_000;

/**
 * Before the next attempt to connect: twice as long each time, within bounds, and never the same on two nodes.
 * @param chance from 0 up to, not including, 1
 */
export const pauseMs = (failures: number, chance: number): number => {
  const most = Math.min(FIRST_MS * 2 ** Math.min(failures, 20), LONGEST_MS);
  return Math.round(most * (0.5 + chance / 2));
};
