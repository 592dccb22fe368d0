// How long something takes, whatever else the machine is at: other tests that keep the processors busy must not make a rule fail.

const TICK_MS = 20;

/** The processor time of this thread, or how long it waited, whichever is more. A thread that is kept from running does not count as waiting. */
export async function ownMs(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, TICK_MS);
  const before = process.threadCpuUsage();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(ticks * TICK_MS, (user + system) / 1_000);
}
