// Work on notifications for which the processor is asked something: which payment they are about, or for a refund that follows. Each
// processor has a few places of its own, so one that does not answer delays only its own notifications.

const AT_A_PROCESSOR = 4;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Of a processor that has answered nothing yet. */
const EXPECTED_MS = 1_000;

interface Places {
  readonly inFlight: Set<Promise<unknown>>;
  /** How long the last one kept its place. */
  tookMs: number;
  /** When those that were turned away before have had their turn. */
  turnMs: number;
}

export class LookUps {
  readonly #at = new Map<string, Places>();

  /**
   * @returns undefined: it has begun. Otherwise all places at this processor are taken: milliseconds until its turn by how long a look-up
   * takes there just now, so that those turned away neither come all at once nor wait while places are free.
   */
  begin(processorId: string, work: () => Promise<unknown>): number | undefined {
    const places = this.#at.get(processorId) ?? { inFlight: new Set(), tookMs: EXPECTED_MS, turnMs: 0 };
    const { inFlight } = places;
    const begunMs = performance.now();
    if (inFlight.size >= AT_A_PROCESSOR) {
      places.turnMs = Math.max(begunMs, places.turnMs) + places.tookMs / AT_A_PROCESSOR;
      return Math.min(Math.max(places.turnMs - begunMs, SHORTEST_MS), LONGEST_MS);
    }
    const one: Promise<unknown> = work().finally(() => {
      inFlight.delete(one);
      places.tookMs = performance.now() - begunMs;
      if (inFlight.size === 0) this.#at.delete(processorId);
    });
    // It notes its own failures; should it fail at that, the lease ends.
    one.catch(() => undefined);
    inFlight.add(one);
    this.#at.set(processorId, places);
    return undefined;
  }

  async ended(): Promise<void> {
    await Promise.allSettled([...this.#at.values()].flatMap(({ inFlight }) => [...inFlight]));
  }
}
