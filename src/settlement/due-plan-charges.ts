// Which payments of plans this node charges now: each begins when its time has come and waits for no other merchant's. plan-charges.ts charges
// one.

import { setTimeout as sleep } from "node:timers/promises";
import type { Parts } from "../gateway/parts.ts";
import type { DuePayment } from "../journal/due-plans.ts";
import { atOnce } from "../shares/at-once.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";
import { chargePayment, type PlanWork } from "./plan-charges.ts";

/** Charges on this node. One merchant's never have all places. What finds none stays due for the next look. */
const CHARGES: TurnBounds = { atOnce: 32, mostOfOne: 8, mostWaiting: 1_000, mostWaitingOfOne: 64 };
const AT_ONCE = 8;
const PAUSE_MS = 200;
/** Of one payment. */
const MOST_FAULTS = 3;

export class DuePlanCharges {
  readonly #parts: Parts;
  readonly #work: PlanWork;
  readonly #stopping: AbortSignal;
  readonly #turns = fairTurns(CHARGES);
  /** Those that wait for their turn included. */
  readonly #running = new Map<string, Promise<void>>();

  /** @param stopping nothing begins any more; what was not begun stays due */
  constructor(parts: Parts, work: PlanWork, stopping: AbortSignal) {
    this.#parts = parts;
    this.#work = work;
    this.#stopping = stopping;
  }

  /** Begins what is due and does not run, and waits for none of it. */
  async begin(): Promise<void> {
    for (const payment of await this.#work.due.due(this.#parts.clock.now())) {
      const name = nameOf(payment);
      if (this.#running.has(name) || this.#stopping.aborted) continue;
      const running = this.#inTurn(payment).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
  }

  /** When nothing runs any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #inTurn(payment: DuePayment): Promise<void> {
    // Where there is no room, or the gateway stops, it stays due.
    const release = await this.#turns.take(payment.merchantId, this.#stopping).catch(() => undefined);
    if (release === undefined) return;
    try {
      if (!this.#stopping.aborted) await chargePayment(this.#parts, this.#work, payment);
    } catch (fault) {
      tell(this.#parts, payment, fault);
    } finally {
      release();
    }
  }
}

/** What it did, it looks at again. */
const tell = ({ log }: Parts, { planId: plan, number: payment }: DuePayment, fault: unknown): void =>
  log.warn({ plan, payment, fault: String(fault) }, "a payment of a plan is looked at again");

const nameOf = ({ merchantId, planId, number }: DuePayment): string => `${merchantId} ${planId} ${number}`;

/**
 * Everything that is due by the clock, until each was charged or has no end yet: for a clock that is moved. What falls due as time passes is
 * begun by {@link DuePlanCharges}.
 * @param stopping ends it early: what was not begun stays due
 */
export async function chargePlansDue(parts: Parts, work: PlanWork, stopping: AbortSignal): Promise<void> {
  const { due } = work;
  const faults = new Map<string, number>();
  while (!stopping.aborted && (await due.next(parts.clock.now())) !== undefined) {
    if (parts.halted()) throw new Error("nothing is charged in recovery mode: what is due stays due");
    const payments = await due.due(parts.clock.now());
    const looked = await atOnce(AT_ONCE, payments, (payment) =>
      chargePayment(parts, work, payment).catch((fault) => {
        tell(parts, payment, fault);
        const name = nameOf(payment);
        faults.set(name, (faults.get(name) ?? 0) + 1);
        // It stays due. Whoever moves the clock is not to wait for it for ever.
        if ((faults.get(name) ?? 0) >= MOST_FAULTS) throw fault;
        return false;
      }),
    );
    // Another node has the others.
    if (!looked.includes(true)) await sleep(PAUSE_MS);
  }
}
