// So many rounds with faults that a seed chooses, on one pool.

import { openPool } from "../../src/journal/database.ts";
import type { FreshDatabase } from "../database-server.ts";
import { type Fault, KINDS, openProxy, type Way } from "./proxy.ts";
import { round, type Told } from "./round.ts";

export interface Runs {
  readonly runs: number;
  readonly seed: number;
  readonly hangMs: number;
  readonly progress?: (done: number, told: Told, fault: Fault) => void;
}

export interface Totals {
  readonly wrong: readonly string[];
  readonly answered: number;
  readonly failed: number;
  readonly longestMs: number;
  /** How many faults fell on messages of each type. */
  readonly fell: ReadonlyMap<string, number>;
}

/** Of which each question has an end well within two seconds. */
const BOUNDS = { connections: 4, deadlineMs: 500, connectTimeoutMs: 500, waitMs: 800 };
/** Each so many rounds begin without connections, so that faults fall on greetings too. */
const GREETINGS_EVERY = 4;

export async function faultRuns(
  { address, pool }: FreshDatabase,
  { runs, seed, hangMs, progress }: Runs,
): Promise<Totals> {
  await pool`create table if not exists written (nonce text, i int)`;
  const proxy = await openProxy(address.host, address.port);
  const sql = openPool({ ...address, host: "127.0.0.1", port: proxy.port }, "faults", BOUNDS);
  const chance = chanceOf(seed);
  const wrong: string[] = [];
  const fell = new Map<string, number>();
  let [answered, failed, longestMs] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    if (run % GREETINGS_EVERY === 0) proxy.hangUp();
    const fault = faultOf(chance);
    const told = await round(sql, proxy, fault, `${seed}.${run}`, hangMs);
    wrong.push(...told.wrong.map((what) => `run ${run}, ${fault.kind} ${fault.way} at ${told.fell}: ${what}`));
    answered += told.answered;
    failed += told.failed;
    longestMs = Math.max(longestMs, told.longestMs);
    if (told.fell !== undefined) {
      const place = `${told.fell} ${fault.way}`;
      fell.set(place, (fell.get(place) ?? 0) + 1);
    }
    progress?.(run + 1, told, fault);
  }
  await sql.end({ timeout: 1 });
  await proxy.close();
  return { wrong, answered, failed, longestMs, fell };
}

function faultOf(chance: (below: number) => number): Fault {
  const way: Way = chance(3) === 0 ? "to the server" : "to the client";
  return {
    kind: KINDS[chance(KINDS.length)] as Fault["kind"],
    way,
    after: chance(way === "to the server" ? 60 : 120),
    delayMs: chance(100),
  };
}

/** mulberry32 */
function chanceOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
