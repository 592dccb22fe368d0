// A process of hostile clients: some kinds of them, on as little of the processor's time as the system can give, so that what
// is measured is the gateway under attack and not the attackers' own appetite.

import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { attackOf, type Tally } from "./attack.ts";
import type { Ground } from "./ground.ts";
import { KINDS } from "./registry.ts";

/** What the parent sends: what to do, and later that it is over. */
export type Told = { readonly ground: Ground; readonly kinds: readonly string[]; readonly seed: number } | "stop";
/** What it gets, each second and at the end. */
export interface Tallies {
  readonly tallies: Readonly<Record<string, Tally>>;
  readonly over: boolean;
}

const TELL_EVERY_MS = 1_000;
/** Of an attack that does not end by itself nobody waits longer. */
const OVER_WITHIN_MS = 3_000;

yieldToOthers();
const over = new AbortController();
setMaxListeners(0, over.signal);
const tallies: Record<string, Tally> = {};
const tell = (isOver: boolean, then?: () => void) =>
  process.send?.({ tallies, over: isOver } satisfies Tallies, () => then?.());

process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined); // the parent's business
process.on("message", (told: Told) => {
  if (told === "stop") {
    over.abort();
    setTimeout(finish, OVER_WITHIN_MS).unref();
  } else void wage(told).then(finish);
});

/** Attackers have machines of their own. */
function yieldToOthers(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    // The priority above holds among the processes of one session, this one among sessions (sched(7), autogroup).
    writeFileSync("/proc/self/autogroup", String(constants.priority.PRIORITY_LOW));
  } catch {
    // A system without it.
  }
}

async function wage({ ground, kinds, seed }: Exclude<Told, "stop">): Promise<void> {
  const timer = setInterval(() => tell(false), TELL_EVERY_MS);
  const waged = [...KINDS.entries()]
    .filter(([, { name }]) => kinds.includes(name))
    .map(async ([nth, kind]) => {
      const { attack, tally } = attackOf(kind, nth, ground, seed, over.signal);
      tallies[kind.name] = tally;
      await kind.wage(attack).catch((fault) => attack.fail(fault));
    });
  await Promise.all(waged);
  clearInterval(timer);
}

function finish(): void {
  tell(true, () => process.exit());
}
