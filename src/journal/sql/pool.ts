// Connections to one database, and the questions that wait for one of them: bounded in number and time. A connection on
// which anything unexpected happened never comes back here.

import { Connection, type ConnectionSettings } from "./connection.ts";
import { ConnectionFault } from "./faults.ts";
import type { PoolCounts } from "./sql.ts";

export interface PoolSettings extends ConnectionSettings {
  readonly most: number;
  /** How long a question waits for a connection, and how many may wait. */
  readonly waitMs: number;
  readonly mostWaiting: number;
}

interface Waiting {
  readonly take: (connection: Connection) => void;
  readonly fail: (fault: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** After the database refused a connection the next is tried after a pause that doubles. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export class Pool {
  readonly #settings: PoolSettings;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiting>();
  #opening = 0;
  #pauseMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /** To be given back. @throws ConnectionFault */
  take(): Promise<Connection> {
    if (this.#ended) return Promise.reject(ended());
    const connection = this.#idle.pop();
    if (connection) return Promise.resolve(connection);
    if (this.#waiting.size >= this.#settings.mostWaiting) return Promise.reject(busy());
    return new Promise((take, fail) => {
      const waiting = {
        take,
        fail,
        timer: setTimeout(() => this.#leave(waiting)?.fail(busy()), this.#settings.waitMs),
      };
      this.#waiting.add(waiting);
      this.#openMore();
    });
  }

  give(connection: Connection): void {
    if (connection.isOver) return;
    const [first] = this.#waiting;
    if (connection.inTransaction)
      connection.destroy(new ConnectionFault("CONNECTION_CLOSED", "a transaction was left open"));
    else if (this.#ended) connection.end();
    else if (first) this.#leave(first)?.take(connection);
    else this.#idle.push(connection);
  }

  counts(): PoolCounts {
    const idle = this.#idle.length;
    return { busy: this.#all.size - idle, idle, most: this.#settings.most, waiting: this.#waiting.size };
  }

  /** @param timeoutMs for what is in flight */
  async end(timeoutMs: number): Promise<void> {
    if (this.#ended) return this.#ended.promise;
    this.#ended = Promise.withResolvers();
    clearTimeout(this.#pause);
    this.#failAll(ended());
    for (const connection of this.#idle.splice(0)) connection.end();
    const timer = setTimeout(() => {
      for (const connection of this.#all) connection.destroy(ended());
    }, timeoutMs);
    this.#noteEmpty();
    await this.#ended.promise;
    clearTimeout(timer);
  }

  #leave(waiting: Waiting): Waiting | undefined {
    clearTimeout(waiting.timer);
    return this.#waiting.delete(waiting) ? waiting : undefined;
  }

  #failAll(fault: unknown): void {
    for (const waiting of this.#waiting) this.#leave(waiting)?.fail(fault);
  }

  #openMore(): void {
    if (this.#pause || this.#ended) return;
    while (this.#opening < this.#waiting.size && this.#all.size + this.#opening < this.#settings.most)
      void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await Connection.open(this.#settings, (over, lost) => this.#gone(over, lost));
      this.#pauseMs = 0;
      this.#all.add(connection);
      this.#opening--;
      this.give(connection);
    } catch (fault) {
      this.#opening--;
      this.#refused(fault);
    }
  }

  /** Who waits is told, unless there are connections that will be free some time. */
  #refused(fault: unknown): void {
    if (this.#all.size === 0) this.#failAll(fault);
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#openMore();
    }, this.#pauseMs);
    this.#noteEmpty();
  }

  /** If the server hung up on one, the idle ones are probably lost too, and nobody is to find that out with a question. */
  #gone(connection: Connection, lost: boolean): void {
    this.#all.delete(connection);
    const place = this.#idle.indexOf(connection);
    if (place !== -1) this.#idle.splice(place, 1);
    if (lost) for (const idle of this.#idle.splice(0)) idle.end();
    this.#noteEmpty();
    this.#openMore();
  }

  #noteEmpty(): void {
    if (this.#ended && this.#all.size === 0 && this.#opening === 0) {
      clearTimeout(this.#pause);
      this.#ended.resolve();
    }
  }
}

const ended = () => new ConnectionFault("CONNECTION_ENDED", "the connections to the database were ended");
const busy = () =>
  new ConnectionFault("CONNECTIONS_BUSY", "all connections to the database are at work, and others wait for them");
