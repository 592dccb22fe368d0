// What a measurement starts, or writes elsewhere, is undone when it ends: when it is done, fails or is stopped by a signal.

type Step = () => Promise<void> | void;

export interface Undo {
  /** Steps are taken one after the other, the latest first, whatever becomes of the others. */
  add(step: Step): void;
  /** Stopped in the end, also if the end comes while it starts: then this throws. */
  started<Started extends { stop(): Promise<void> }>(starting: Promise<Started>): Promise<Started>;
}

/** Fails as the work does, after all of it is undone. Where a signal stops it, the process ends with exit code 1. */
export async function undoing(work: (undo: Undo) => Promise<void>): Promise<void> {
  const steps: Step[] = [];
  let undone = Promise.resolve();
  let stopped = false;

  const undoAll = () => {
    undone = undone.then(async () => {
      for (let step = steps.pop(); step !== undefined; step = steps.pop())
        try {
          await step();
        } catch (fault) {
          console.error(fault);
          process.exitCode = 1;
        }
    });
    return undone;
  };
  const add = (step: Step) => void steps.push(step);

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stopped = true; // what is in flight fails for want of what is undone
      void undoAll().then(() => process.exit(1));
    });
  try {
    await work({
      add,
      started: async (starting) => {
        add(async () => (await starting.catch(() => undefined))?.stop());
        const started = await starting;
        if (stopped) throw new Error("The work was stopped."); // else it would use what is being stopped
        return started;
      },
    });
  } catch (fault) {
    if (!stopped) throw fault;
  } finally {
    await undoAll();
  }
}
