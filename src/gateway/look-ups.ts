// Notifications for which their processor is asked: those that do not say themselves which payment they are about, and those that a refund
// follows. What a processor that does not answer keeps waiting is its own.

const AT_A_PROCESSOR = 4;

export class LookUps {
  readonly #at = new Map<string, Set<Promise<unknown>>>();

  /** False: so many are in flight at this processor that this one has to wait. */
  begin(processorId: string, work: () => Promise<unknown>): boolean {
    const inFlight = this.#at.get(processorId) ?? new Set();
    if (inFlight.size >= AT_A_PROCESSOR) return false;
    const one: Promise<unknown> = work().finally(() => {
      inFlight.delete(one);
      if (inFlight.size === 0) this.#at.delete(processorId);
    });
    // It notes its own failures; should it fail at that, the lease ends.
    one.catch(() => undefined);
    this.#at.set(processorId, inFlight.add(one));
    return true;
  }

  async ended(): Promise<void> {
    await Promise.allSettled([...this.#at.values()].flatMap((inFlight) => [...inFlight]));
  }
}
