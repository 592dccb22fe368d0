// Captures what is due by itself: every open authorization of a processor record at its time of day, each through the same
// path as a merchant's capture. In portions; a node that dies in the middle leaves the rest to the next, and nothing is
// captured twice, since the place in the transaction is taken by one capture only.

import { setTimeout as sleep } from "node:timers/promises";
import type { Render } from "../gateway/answer.ts";
import { begin, carryOutFollowUp } from "../gateway/follow-up.ts";
import type { Parts } from "../gateway/parts.ts";
import {
  type DueCapture,
  dueCaptures,
  nextCapture,
  noLongerOpen,
  othersAtWork,
  stillOpen,
  takeOpen,
} from "../journal/auto-capture-rows.ts";
import type { Sql } from "../journal/database.ts";
import { decideAutoCapture } from "../payment/auto-capture.ts";
import { nextAfter } from "../payment/settlement.ts";

const PORTION = 512;
/** At once: enough to fill the journal's groups, few enough to leave room for sales. */
const AT_ONCE = 48;
const PROGRESS_EVERY_MS = 5_000;
const PAUSE_MS = 200;

/** Runs everything that is due by the clock, in the order of time. @returns how many authorizations were captured */
export async function captureWhatIsDue(parts: Parts, pool: Sql): Promise<number> {
  let captured = 0;
  for (const due of await dueCaptures(pool, parts.clock.now())) captured += await captureAt(parts, pool, due);
  return captured;
}

async function captureAt(parts: Parts, pool: Sql, due: DueCapture): Promise<number> {
  const { record } = await parts.processors.find(due.merchantId, due.processorId);
  const progress = progressOf(parts, due);
  for (;;) {
    const ids = await takeOpen(pool, due, PORTION);
    if (ids.length > 0) {
      const portion = await capturePortion(parts, due, ids);
      await noLongerOpen(pool, due, portion.done);
      await stillOpen(pool, due, portion.failed);
      progress.add(portion.captured, portion.failed.length);
    } else if (await othersAtWork(pool, due)) await sleep(PAUSE_MS);
    else break;
  }
  const time = record.schedule.auto_capture_at;
  // A record that is not captured any more has no row, so there is nothing to put off.
  if (time !== null) await nextCapture(pool, due, nextAfter(later(due.dueAt, parts.clock.now()), time));
  return progress.end();
}

const later = (a: Date, b: Date): Date => (a > b ? a : b);

interface Portion {
  readonly done: string[];
  readonly failed: string[];
  captured: number;
}

async function capturePortion(parts: Parts, due: DueCapture, ids: readonly string[]): Promise<Portion> {
  const portion: Portion = { done: [], failed: [], captured: 0 };
  const left = [...ids];
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const end = await captureOne(parts, due.merchantId, id);
      if (end === "captured") portion.captured++;
      (end === "failed" ? portion.failed : portion.done).push(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return portion;
}

async function captureOne(
  parts: Parts,
  merchantId: string,
  transactionId: string,
): Promise<"captured" | "passed" | "failed"> {
  const call = { merchantId, transactionId, ipAddress: null, claim: null, render: NOBODY_WAITS };
  const begun = await begin(parts, call, false, (transaction, { processor }) =>
    decideAutoCapture(transaction, processor.abilities, parts.clock.now()),
  );
  if (begun.kind !== "begun") return "passed";
  const { end } = await carryOutFollowUp(parts, begun, call);
  // A pending one is asked about until it has an outcome.
  return end.kind === "approved" || end.kind === "pending" ? "captured" : "failed";
}

const NOBODY_WAITS: Render = () => ({ status: 200, body: "" });

/** A line in the log every few seconds, and one at the end if there was anything to do. */
function progressOf({ log }: Parts, { processorId, dueAt }: DueCapture) {
  let captured = 0;
  let failed = 0;
  const facts = () => ({ processor: processorId, due: dueAt, captured, failed });
  const timer = setInterval(() => log.info(facts(), "automatic capture is under way"), PROGRESS_EVERY_MS);
  timer.unref();
  return {
    add: (more: number, failures: number) => {
      captured += more;
      failed += failures;
    },
    end: () => {
      clearInterval(timer);
      if (captured + failed > 0) log.info(facts(), "automatic capture has ended");
      return captured;
    },
  };
}
