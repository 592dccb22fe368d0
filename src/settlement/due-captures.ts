// The records whose time of capture has come, and which of them this node captures now. Each begins when its time has come and waits for
// no other: what a silent processor keeps waiting is its own. auto-capture.ts captures one record.

import type { Parts } from "../gateway/parts.ts";
import type { DueCapture, OpenAuthorizations } from "../journal/auto-capture-rows.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";
import { capturePace, captureRecord } from "./auto-capture.ts";
import { Hearing } from "./hearing.ts";

/** Records on this node, each once. One merchant's never have all places. What finds none stays due for the next look. */
const RECORDS: TurnBounds = { atOnce: 32, mostOfOne: 8, mostWaiting: 1_000, mostWaitingOfOne: 100 };

/** A record whose processor did not answer. */
interface Left {
  readonly hearing: Hearing;
  /** By the process's own clock. */
  readonly untilMs: number;
}

export class DueCaptures {
  readonly #parts: Parts;
  readonly #open: OpenAuthorizations;
  readonly #stopping: AbortSignal;
  readonly #turns = fairTurns(RECORDS);
  readonly #mayBegin = capturePace();
  /** Those that wait for their turn included. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #left = new Map<string, Left>();

  /** @param stopping nothing begins any more; what was not looked at stays due */
  constructor(parts: Parts, open: OpenAuthorizations, stopping: AbortSignal) {
    this.#parts = parts;
    this.#open = open;
    this.#stopping = stopping;
  }

  /** Begins what is due and does not run, and waits for none of it. */
  async begin(): Promise<void> {
    const due = await this.#open.dueOfThoseThere(this.#parts.clock.now());
    const names = new Set(due.map(nameOf));
    for (const name of this.#left.keys()) if (!names.has(name)) this.#left.delete(name);
    const nowMs = performance.now();
    for (const record of due) {
      const name = nameOf(record);
      const rests = nowMs < (this.#left.get(name)?.untilMs ?? 0);
      if (rests || this.#running.has(name) || this.#stopping.aborted) continue;
      const running = this.#captureInTurn(name, record).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
  }

  /** When nothing runs any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #captureInTurn(name: string, due: DueCapture): Promise<void> {
    // Where there is no room, or the gateway stops, it stays due.
    const release = await this.#turns.take(due.merchantId, this.#stopping).catch(() => undefined);
    if (release === undefined) return;
    try {
      await this.#capture(name, due);
    } catch (fault) {
      if (fault === this.#stopping.reason) return;
      const facts = { processor: due.processorId, fault: String(fault) };
      this.#parts.log.warn(facts, "an automatic capture broke off and is tried again");
    } finally {
      release();
    }
  }

  async #capture(name: string, due: DueCapture): Promise<void> {
    const hearing = this.#left.get(name)?.hearing ?? new Hearing();
    const conduct = { stopping: this.#stopping, mayBegin: this.#mayBegin, hearing, rests: true };
    await captureRecord(this.#parts, this.#open, due, conduct);
    if (hearing.silent) this.#left.set(name, { hearing, untilMs: performance.now() + hearing.pause() });
    else this.#left.delete(name);
  }
}

const nameOf = ({ merchantId, processorId }: DueCapture): string => `${merchantId} ${processorId}`;
