// Equal reads that are asked for at the same time, done once for all who asked before it began. So nobody gets what is older than
// the question, and however many ask, no more than one of each kind is in flight.

export interface JoinedReads<T> {
  /**
   * @param name the same for reads that give the same
   * @param signal leaves; a read that all have left is ended, or never begun
   * @param work begins after this call: this one's, or that of another who asks for the same
   */
  read(name: string, signal: AbortSignal, work: (allGone: AbortSignal) => Promise<T>): Promise<T>;
  /** For tests. */
  counts(): { readonly names: number };
}

/** Results are kept for nobody who asks later. */
export function joinedReads<T>(): JoinedReads<T> {
  /** What is in flight, by name: and what waits for its end, in which whoever asks now can take part. */
  const inFlight = new Map<string, { next: JoinedRead<T> | undefined }>();

  const begin = (name: string, read: JoinedRead<T>): void => {
    const place: { next: JoinedRead<T> | undefined } = { next: undefined };
    inFlight.set(name, place);
    void read.begin().then(() => {
      inFlight.delete(name);
      if (place.next !== undefined && !place.next.isLeft) begin(name, place.next);
    });
  };

  return {
    async read(name, signal, work) {
      signal.throwIfAborted();
      const place = inFlight.get(name);
      if (place === undefined) {
        const read = new JoinedRead(work);
        const result = read.join(signal);
        begin(name, read);
        return result;
      }
      if (place.next === undefined || place.next.isLeft) place.next = new JoinedRead(work);
      return place.next.join(signal);
    },
    counts: () => ({ names: inFlight.size }),
  };
}

class JoinedRead<T> {
  readonly #work: (allGone: AbortSignal) => Promise<T>;
  readonly #result = Promise.withResolvers<T>();
  readonly #allGone = new AbortController();
  #readers = 0;

  constructor(work: (allGone: AbortSignal) => Promise<T>) {
    this.#work = work;
    // Of a fault each reader is told by itself, and there may be none left.
    this.#result.promise.catch(() => undefined);
  }

  get isLeft(): boolean {
    return this.#allGone.signal.aborted;
  }

  join(signal: AbortSignal): Promise<T> {
    this.#readers++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        if (--this.#readers === 0) this.#allGone.abort(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      const stay = () => signal.removeEventListener("abort", leave);
      this.#result.promise.finally(stay).then(resolve, reject);
    });
  }

  /** Resolves when it has ended, however. */
  async begin(): Promise<void> {
    try {
      this.#result.resolve(await this.#work(this.#allGone.signal));
    } catch (fault) {
      this.#result.reject(fault);
    }
  }
}
