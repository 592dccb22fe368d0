// Who gets processor time first, the gateway or the process for heavy requests. Niceness holds for a thread, so all of them are set; and
// where the system shares the processor out by sessions first (sched(7), autogroup), it holds for the session.

import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * While it starts, its work is done in the gateway's own process, and payments wait for that. On a full machine it was not there within 20 s
 * with 19, and with this after 7 to 10; sales took as long meanwhile, and less after. It is no more than a quarter of a processor that the
 * gateway wants too: one that is killed as soon as it is there takes that for as long as it is killed.
 */
export const STARTING = 5;
/**
 * Payments come first where both want the processor: half of the sales under siege take 6.7 ms with 19, and 8 with this. But 19 is a
 * hundredth of a processor on a full machine: beside one busy program of somebody else's, lists had no answer within 30 s, and its
 * heartbeats came so late that it was taken for dead. With this it is seven hundredths, and all of them were answered.
 */
export const AT_WORK = 10;

/** Of all threads that the process has, and those that it will have. It is only ever made larger, which everybody may. */
export function setNiceness(pid: number, niceness: number): void {
  // What the first thread begins from now on has its niceness.
  for (const thread of new Set([pid, ...threadsOf(pid)])) quietly(() => setPriority(thread, niceness));
  quietly(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)));
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** It has ended, which is told elsewhere; or a system without threads' or sessions' priorities. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}
