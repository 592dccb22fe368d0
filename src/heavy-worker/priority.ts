// Who gets processor time first, the gateway or the process for heavy requests. Niceness holds for a thread, so all of them are set; and
// where the system shares the processor out by sessions first (sched(7), autogroup), it holds for the session.

import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * While it starts, the gateway's own process does its work, and payments wait for that. So it must start soon on a full machine, too: with
 * 19 it took more than 20 s, with 5 it takes 7 to 10 s. Sales took as long meanwhile, and less time afterwards. If the gateway wants the
 * same processor, 5 gets at most a quarter of it. A process that is killed each time it has started takes that much all the time.
 */
export const STARTING = 5;
/**
 * If both want the processor, payments come first: half of the sales under siege take 6.7 ms with 19, and 8 ms with 10. But on a full
 * machine 19 gets a hundredth of a processor. Beside one busy program of somebody else's, lists got no response within 30 s, and heartbeats came so
 * late that the process was taken for dead. 10 gets seven hundredths, and every list got its response.
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
