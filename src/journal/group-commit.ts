// Group commit: callers hand in a row and wait; all rows that gather while a group is being written make up the next
// group, in one statement and one commit. Knows nothing of what the rows are.

/** A group stays small enough that its first row does not wait long for its last: see docs/decisions on group commit. */
const MOST_ROWS_IN_A_GROUP = 128;
const MOST_ROWS_WAITING = 20_000;
/** With more of them a group costs hardly less for each. */
const ENOUGH_ROWS = 64;
const LONGEST_GATHERING_MS = 3;

export interface GroupOptions<Row, Result> {
  /** Writes all rows or none and gives a result for each, in their order; throws if nothing was written. */
  readonly write: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** After a fault of a group: was it one row's own fault, so that the others may pass without it? */
  readonly concernsOneRow: (fault: unknown) => boolean;
  readonly mostRows?: number;
  readonly groupsInFlight?: number;
  /** A group holds rows of one key only, and one group of a key is in flight. Without it all rows go together. */
  readonly keyOf?: ((row: Row) => string) | undefined;
  readonly seen?: ((group: WrittenGroup) => void) | undefined;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/** A group that was written, or could not be. */
export interface WrittenGroup {
  readonly rows: number;
  /** Of the row that waited for longest. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

/** Surely not written. */
export class QueueFull extends Error {}

/** @returns a function that writes one row in the company of others. */
export function groupCommit<Row, Result>(options: GroupOptions<Row, Result>): (row: Row) => Promise<Result> {
  const { write, concernsOneRow, mostRows = MOST_ROWS_IN_A_GROUP, groupsInFlight = 1, keyOf, seen } = options;
  const { nowMs = () => performance.now() } = options;
  const enough = Math.min(ENOUGH_ROWS, mostRows);
  const waiting: Waiting<Row, Result>[] = [];
  let inFlight = 0;
  let gathering = false;
  const take = keyOf ? takingByKey<Row, Result>(keyOf) : takeFirst<Row, Result>;

  const next = (): void => {
    while (inFlight < groupsInFlight) {
      const { group, release } = take(waiting, mostRows);
      if (group.length === 0) return;
      inFlight++;
      const tell = seen && telling(seen, group);
      void writeGroup(group).then(() => {
        tell?.();
        release?.();
        inFlight--;
        if (waiting.length > 0) gather();
      });
    }
  };

  /**
   * To begin a group costs the gateway and the database as much as to add eight rows to it. So as long as each turn of the event loop
   * brings more rows they are waited for, which nobody has to do who is alone: a row that is the only one of its turn goes at its end.
   */
  const gather = (): void => {
    if (gathering) return;
    if (waiting.length >= enough) {
      next();
      return;
    }
    gathering = true;
    const sinceMs = nowMs();
    const look = (before: number): void => {
      const goOn = waiting.length > before && waiting.length < enough && nowMs() - sinceMs < LONGEST_GATHERING_MS;
      if (goOn) return void setImmediate(look, waiting.length);
      gathering = false;
      next();
    };
    setImmediate(look, waiting.length);
  };

  const writeGroup = async (group: readonly Waiting<Row, Result>[]): Promise<void> => {
    try {
      const results = await write(group.map(({ row }) => row));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (fault) {
      // A row that can't be written fails alone.
      if (group.length > 1 && concernsOneRow(fault)) for (const one of group) await writeGroup([one]);
      else for (const { reject } of group) reject(fault);
    }
  };

  return (row) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length >= MOST_ROWS_WAITING) return reject(new QueueFull("too many writes are waiting"));
      waiting.push({ row, resolve, reject, sinceMs: seen ? performance.now() : 0 });
      // Otherwise the end of a group looks after those that wait.
      if (inFlight < groupsInFlight) gather();
    });
}

interface Taken<Row, Result> {
  readonly group: readonly Waiting<Row, Result>[];
  readonly release?: () => void;
}

const takeFirst = <Row, Result>(waiting: Waiting<Row, Result>[], most: number): Taken<Row, Result> => ({
  group: waiting.splice(0, most),
});

/** The key whose first row waits for longest, of those that have no group in flight. */
function takingByKey<Row, Result>(keyOf: (row: Row) => string) {
  const busy = new Set<string>();
  return (waiting: Waiting<Row, Result>[], most: number): Taken<Row, Result> => {
    const first = waiting.find(({ row }) => !busy.has(keyOf(row)));
    if (first === undefined) return { group: [] };
    const key = keyOf(first.row);
    const group: Waiting<Row, Result>[] = [];
    const left = waiting.filter((one) => {
      if (group.length === most || keyOf(one.row) !== key) return true;
      group.push(one);
      return false;
    });
    waiting.splice(0, waiting.length, ...left);
    busy.add(key);
    return { group, release: () => busy.delete(key) };
  };
}

interface Waiting<Row, Result> {
  readonly row: Row;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
  readonly sinceMs: number;
}

/** Of a group that begins now. */
function telling(seen: (group: WrittenGroup) => void, group: readonly { readonly sinceMs: number }[]): () => void {
  const begunMs = performance.now();
  const [first] = group;
  const waitedMs = begunMs - (first?.sinceMs ?? begunMs);
  return () => seen({ rows: group.length, waitedMs, tookMs: performance.now() - begunMs });
}
