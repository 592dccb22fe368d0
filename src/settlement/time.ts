// What falls due by the clock, and the sandbox's clock: moved forward, it stops at each instant at which something falls
// due on the way, runs that, and goes on.

import type { MovableClock } from "../clock.ts";
import { every } from "../gateway/every.ts";
import type { Parts } from "../gateway/parts.ts";
import { type OpenAuthorizations, openAuthorizations } from "../journal/auto-capture-rows.ts";
import type { Sql } from "../journal/database.ts";
import { duePlans } from "../journal/due-plans.ts";
import { clockOffset, saveClockOffset } from "../journal/installation.ts";
import { captureWhatIsDue } from "./auto-capture.ts";
import { DueCaptures } from "./due-captures.ts";
import { chargePlansDue, DuePlanCharges } from "./due-plan-charges.ts";
import type { PlanWork } from "./plan-charges.ts";

const EVERY_MS = 1_000;
/** A clock that another node moved is followed this soon. */
const FOLLOW_EVERY_MS = 250;

export interface DueWork {
  /** What is in flight is finished; the rest stays due, for another node or the next start. */
  stop(): Promise<void>;
}

/** Begins the captures that fall due, for as long as the process lives. */
export function startDueWork(parts: Parts, open: OpenAuthorizations): DueWork {
  return startWork(parts, (stopping) => new DueCaptures(parts, open, stopping));
}

/** Begins the payments of plans that fall due, for as long as the process lives. */
export function startPlanCharges(parts: Parts, plans: PlanWork): DueWork {
  return startWork(parts, (stopping) => new DuePlanCharges(parts, plans, stopping));
}

/** What begins what is due at each look, and waits for it at the end. */
interface Begins {
  begin(): Promise<void>;
  ended(): Promise<void>;
}

function startWork(parts: Parts, workUntil: (stopping: AbortSignal) => Begins): DueWork {
  const stopping = new AbortController();
  const work = workUntil(stopping.signal);
  const looks = every(EVERY_MS, parts.log, async () => {
    if (!parts.halted()) await work.begin();
    return "pause";
  });
  return {
    stop: async () => {
      stopping.abort();
      await looks.stop();
      await work.ended();
    },
  };
}

/** Goes forward to an instant, and stops at each on the way at which something falls due, until that has run. */
async function goForward(
  parts: Parts,
  open: OpenAuthorizations,
  plans: PlanWork,
  instant: Date,
  advance: (to: Date) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    const [capture] = await open.due(instant);
    const next = earlier(capture?.dueAt, await plans.due.next(instant));
    if (next === undefined) break;
    await advance(next);
    await captureWhatIsDue(parts, open, stopping);
    await chargePlansDue(parts, plans, stopping);
    if (stopping.aborted) throw new Error("the gateway stops while its clock is moved: what is due stays due");
  }
  await advance(instant);
}

const earlier = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

export interface SandboxTime {
  now(): Date;
  /** Of real time. */
  aheadMs(): number;
  /** @returns false if the instant has passed already; otherwise after everything on the way has run */
  moveTo(instant: Date): Promise<boolean>;
  stop(): Promise<void>;
}

interface SandboxTimeOptions {
  /** Of the authorizations that are captured on the way. */
  readonly leaseMs?: number | undefined;
  /** Told of each move, which goes on when others know of it. */
  readonly moved: (aheadMs: number) => Promise<void>;
}

/** Moves the sandbox's clock, and does what falls due on the way. */
export function sandboxTime(
  parts: Parts,
  pool: Sql,
  clock: MovableClock,
  { leaseMs, moved }: SandboxTimeOptions,
): SandboxTime {
  const open = openAuthorizations(pool, leaseMs);
  const plans = { sql: pool, due: duePlans(pool, leaseMs) };
  let moves: Promise<unknown> = Promise.resolve();
  const stopping = new AbortController();
  const follow = every(FOLLOW_EVERY_MS, parts.log, async () => {
    clock.moveAhead(await clockOffset(pool));
    return "pause";
  });
  const advance = async (instant: Date): Promise<void> => {
    const offsetMs = Math.max(clock.offsetMs, Math.ceil(instant.getTime() - Date.now()));
    // Durable first: a clock that stands further than the database knows would go back at the next start.
    await saveClockOffset(pool, offsetMs);
    clock.moveAhead(offsetMs);
    await moved(offsetMs);
  };
  const move = async (instant: Date): Promise<boolean> => {
    // It shows whole seconds, and what it shows has not passed.
    if (instant.getTime() < Math.floor(clock.now().getTime() / 1000) * 1000) return false;
    await goForward(parts, open, plans, instant, advance, stopping.signal);
    return true;
  };
  return {
    now: () => clock.now(),
    aheadMs: () => clock.offsetMs,
    // One move after the other: two at once would run what falls due in no order.
    moveTo: (instant) => {
      const moved = moves.then(() => move(instant));
      moves = moved.catch(() => undefined);
      return moved;
    },
    stop: async () => {
      stopping.abort();
      await follow.stop();
      await moves;
    },
  };
}
