// Group commit: callers hand in a row and wait; all rows that gather while a group is being written make up the next
// group, in one statement and one commit. Knows nothing of what the rows are.

/** A group stays small enough that its first row does not wait long for its last: see docs/decisions/group-commit.md. */
const MOST_ROWS_IN_A_GROUP = 128;
const MOST_ROWS_WAITING = 20_000;
/** With more of them a group costs hardly less for each. */
const ENOUGH_ROWS = 64;
/** From when the first of them came, also while another group was written. */
const LONGEST_GATHERING_MS = 1;

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
  const line = keyOf ? lineOfEachKey<Row, Result>(keyOf) : oneLine<Row, Result>();
  let waiting = 0;
  let inFlight = 0;
  let gathering = false;
  /** When the first row came since a group was taken last. Undefined: none did, and what is left has waited since before. */
  let sinceMs: number | undefined;

  const next = (): void => {
    while (inFlight < groupsInFlight) {
      const { group, release } = line.take(mostRows);
      if (group.length === 0) return;
      sinceMs = undefined;
      waiting -= group.length;
      inFlight++;
      const tell = seen && telling(seen, group);
      void writeGroup(group).then(() => {
        tell?.();
        release?.();
        inFlight--;
        if (line.free() > 0) gather();
      });
    }
  };

  const mayWait = (free: number): boolean =>
    free < enough && sinceMs !== undefined && nowMs() - sinceMs < LONGEST_GATHERING_MS;

  /**
   * To begin a group costs the gateway and the database as much as to add eight rows to it. So as long as each turn of the event loop
   * brings more rows they are waited for, which nobody has to do who is alone: a row that is the only one of its turn goes at its end.
   * What came while another group was written has waited meanwhile, and mostly goes at the end of the turn, too: else the database and,
   * as soon as all clients wait, the gateway would have nothing to do.
   */
  const gather = (): void => {
    if (gathering) return;
    gathering = true;
    const look = (before: number): void => {
      const free = line.free();
      if (free > before && mayWait(free)) return void setImmediate(look, free);
      gathering = false;
      next();
    };
    setImmediate(look, line.free());
  };

  const writeGroup = async (group: readonly Waiting<Row, Result>[]): Promise<void> => {
    try {
      const results = await write(group.map(({ row }) => row));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (fault) {
      if (group.length === 1 || !concernsOneRow(fault)) {
        for (const { reject } of group) reject(fault);
        return;
      }
      // A row that cannot be written fails alone. To find it among 128, the group is halved seven times.
      const half = Math.ceil(group.length / 2);
      await writeGroup(group.slice(0, half));
      await writeGroup(group.slice(half));
    }
  };

  return (row) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting >= MOST_ROWS_WAITING) return reject(new QueueFull("too many writes are waiting"));
      waiting++;
      line.add({ row, resolve, reject, sinceMs: seen ? performance.now() : 0 });
      sinceMs ??= nowMs();
      // Otherwise the end of a group looks after those that wait.
      if (inFlight < groupsInFlight) gather();
    });
}

interface Taken<Row, Result> {
  readonly group: readonly Waiting<Row, Result>[];
  readonly release?: () => void;
}

/** The rows that wait. */
interface Line<Row, Result> {
  add(one: Waiting<Row, Result>): void;
  take(most: number): Taken<Row, Result>;
  /** How many wait that a group may take now. */
  free(): number;
}

function oneLine<Row, Result>(): Line<Row, Result> {
  const waiting: Waiting<Row, Result>[] = [];
  return {
    add: (one) => void waiting.push(one),
    take: (most) => ({ group: waiting.splice(0, most) }),
    free: () => waiting.length,
  };
}

/** The key whose first row waits for longest has its turn, of those that have no group in flight. */
function lineOfEachKey<Row, Result>(keyOf: (row: Row) => string): Line<Row, Result> {
  const lines = new Map<string, (Waiting<Row, Result> & { readonly nth: number })[]>();
  const busy = new Set<string>();
  let rows = 0;
  const free = () => [...lines].filter(([key]) => !busy.has(key));
  return {
    add: (one) => {
      const key = keyOf(one.row);
      const line = lines.get(key) ?? [];
      lines.set(key, line);
      line.push({ ...one, nth: rows++ });
    },
    take: (most) => {
      const [first] = free().sort(([, [one]], [, [other]]) => (one?.nth ?? 0) - (other?.nth ?? 0));
      if (first === undefined) return { group: [] };
      const [key, line] = first;
      const group = line.splice(0, most);
      if (line.length === 0) lines.delete(key);
      busy.add(key);
      return { group, release: () => busy.delete(key) };
    },
    // One that hangs is not counted, however many wait behind it: the others' would not be waited for.
    free: () => free().reduce((count, [, line]) => count + line.length, 0),
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
