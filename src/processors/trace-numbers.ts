// The numbers under which a question goes to a processor, for kinds whose protocol has them: assigned once for each event
// and kept over every repeat. The journal assigns them for all nodes (journal/trace-numbers.ts).

export interface Trace {
  /** Message type of the first sending. */
  readonly mti: string;
  /** Six digits, 000001 to 999999; they come round again. */
  readonly stan: string;
  /** Of the first sending. */
  readonly at: Date;
}

/**
 * Where traces come from. An implementation for a gateway of several nodes assigns over all of them, and has written
 * down what it assigned before it returns.
 */
export interface TraceNumbers {
  /** The first call for a key decides; every later one gives the same trace again, and says so. */
  assign(key: string, mti: string, now: Date): Promise<{ readonly trace: Trace; readonly repeated: boolean }>;
  find(key: string): Promise<Trace | undefined>;
}
