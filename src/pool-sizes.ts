// How many connections to the database a process opens, by purpose: as many as are useful, or fewer where several processes
// share what the database allows.

export interface PoolSizes {
  /** Payments read with them. */
  readonly payments: number;
  /** Who sends a request, and whether the database answers. */
  readonly lookUps: number;
  /** That the process lives, which waits for nothing else. */
  readonly heartbeats: number;
  /** Lists and exports. */
  readonly slowReads: number;
  /** What operators see and change. */
  readonly office: number;
  /** The resolver, and what falls due. */
  readonly background: number;
  readonly webhooks: number;
}

export const FULL_SIZES: PoolSizes = {
  payments: 8,
  lookUps: 2,
  heartbeats: 1,
  slowReads: 4,
  office: 2,
  background: 4,
  webhooks: 3,
};
/** What begins a transaction may ask for a second connection within it. */
const LEAST_SIZES: PoolSizes = {
  ...{ payments: 2, lookUps: 1, heartbeats: 1, slowReads: 2, office: 2, background: 2, webhooks: 1 },
};
/** The journal's three, and that of trace numbers. */
const WRITERS = 4;
/** There the journal has four of each kind, so that groups of four merchants are written side by side. */
export const MORE_ON_CITUS = 9;

const sumOf = (sizes: PoolSizes): number => Object.values(sizes).reduce((sum, size) => sum + size, WRITERS);

/** Of one process, all together. */
export const MOST_CONNECTIONS = sumOf(FULL_SIZES);
export const FEWEST_CONNECTIONS = sumOf(LEAST_SIZES);

/** Undefined: a process cannot work with so few. */
export function sizesWithin(connections: number): PoolSizes | undefined {
  if (connections < FEWEST_CONNECTIONS) return undefined;
  let sizes = LEAST_SIZES;
  for (let left = connections - FEWEST_CONNECTIONS; left > 0; left--) {
    const most = mostInNeed(sizes);
    if (most === undefined) break;
    sizes = { ...sizes, [most]: sizes[most] + 1 };
  }
  return sizes;
}

/** The purpose that has the smallest part of what is useful to it. */
function mostInNeed(sizes: PoolSizes): keyof PoolSizes | undefined {
  const purposes = Object.keys(FULL_SIZES) as (keyof PoolSizes)[];
  const part = (purpose: keyof PoolSizes) => sizes[purpose] / FULL_SIZES[purpose];
  const [first] = purposes.toSorted((a, b) => part(a) - part(b));
  return first !== undefined && part(first) < 1 ? first : undefined;
}
