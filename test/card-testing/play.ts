// Plays charges through the watch in simulated time: each arrives, is perhaps held back, and is answered a while later.

import { cardTestingWatch } from "../../src/gateway/card-testing.ts";
import { cardNumber } from "../../src/payment/card.ts";
import type { CardTestingSettings } from "../../src/payment/card-testing.ts";
import { smallAmountIn } from "../../src/payment/card-testing-amounts.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { SimulatedCharge } from "./charge.ts";

export interface Played {
  readonly ordinary: number;
  readonly refused: number;
  readonly slowed: number;
  /** Cards of the attack that reached the processor. */
  readonly attackThrough: number;
}

/** How long a processor takes. */
const ANSWER_MS = 800;
/** Of simulated time; what is due within it happens at its end. */
const STEP_MS = 100;
const SECRET = Buffer.alloc(32, 7);

/**
 * @param charges in the order of time, in cents
 * @param currency in which as much is charged, by magnitude
 */
export async function play(
  charges: readonly SimulatedCharge[],
  settings: CardTestingSettings,
  currency = "USD",
): Promise<Played> {
  let nowMs = 0;
  const due = new Map<number, (() => void)[]>();
  const after = (ms: number, act: () => void) => {
    const step = Math.ceil((nowMs + ms) / STEP_MS);
    const others = due.get(step);
    if (others) others.push(act);
    else due.set(step, [act]);
  };
  const watch = cardTestingWatch(SECRET, settings, {
    nowMs: () => nowMs,
    wait: (ms) => new Promise<void>((resolve) => after(ms, resolve)),
  });
  const count = { ordinary: 0, refused: 0, slowed: 0, attackThrough: 0 };
  const charge = async (one: SimulatedCharge): Promise<void> => {
    const arrivedMs = nowMs;
    if (!one.attack) count.ordinary++;
    const admitted = await watch.admit({
      merchantId: "merchant",
      tokenId: "token",
      settings: null,
      card: cardNumber(one.digits),
      amount: smallAmountIn(amountOf(BigInt(one.amount)), currency),
      currency,
      ipAddress: one.address,
    });
    if (admitted === undefined) {
      if (!one.attack) count.refused++;
      return;
    }
    if (one.attack) count.attackThrough++;
    else if (nowMs > arrivedMs) count.slowed++;
    after(ANSWER_MS, () => admitted.ended(one.outcome));
  };
  let step = 0;
  const passTo = async (atMs: number): Promise<void> => {
    for (; step * STEP_MS <= atMs && due.size > 0; step++) {
      const acts = due.get(step);
      if (acts === undefined) continue;
      due.delete(step);
      nowMs = step * STEP_MS;
      for (const act of acts) act();
      await settled();
    }
    step = Math.max(step, Math.floor(atMs / STEP_MS));
    nowMs = Math.max(nowMs, atMs);
  };
  const all: Promise<void>[] = [];
  for (const one of charges) {
    await passTo(one.atMs);
    all.push(charge(one));
    // What goes on at once has done so before time passes.
    for (let turn = 0; turn < 4; turn++) await null;
  }
  while (due.size > 0) await passTo(nowMs + STEP_MS);
  await Promise.all(all);
  return count;
}

/** What was resumed has gone on as far as it can: the event loop has turned. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
