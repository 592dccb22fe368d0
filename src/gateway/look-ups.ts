// Work on notifications for which the processor is asked something: which payment they are about, or for a refund that follows. Each
// processor has a few places of its own, so one that does not answer delays only its own notifications.

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
