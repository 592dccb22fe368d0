// Many questions at once, each with a nonce in every row that it asks for, while one fault falls on a message between them
// and the server.

import { connectionLost, type Sql, undone } from "../../src/journal/database.ts";
import type { Fault, FaultyLine } from "./proxy.ts";

export interface Row {
  readonly nonce: string;
  readonly i: number;
}

/** Asks for so many rows with this nonce. */
export type Ask = (sql: Sql, nonce: string, rows: number) => Promise<readonly Row[]>;

const ASKING: Readonly<Record<string, Ask>> = {
  "a statement that is prepared": (sql, nonce, rows) =>
    sql<Row[]>`select ${nonce}::text as nonce, i from generate_series(1, ${rows}::int) as i`,
  "a statement that is not": (sql, nonce, rows) =>
    sql.unsafe<Row[]>("select $1::text as nonce, i from generate_series(1, $2::int) as i", [nonce, rows]),
  "a group of rows": (sql, nonce, rows) =>
    sql.unsafe<Row[]>(
      "with written as (insert into written select $1, i from generate_series(1, $2::int) as i returning *) select nonce, i from written order by i",
      [nonce, rows],
      { prepare: true },
    ),
  "a transaction": (sql, nonce, rows) =>
    sql.begin(async (step) => {
      await step`select ${`${nonce} first`}::text as nonce, 1 as i`;
      return step<Row[]>`select ${nonce}::text as nonce, i from generate_series(1, ${rows}::int) as i`;
    }),
  "a statement that fails": async (sql, nonce, rows) => {
    await sql`select ${nonce}::text as nonce, 1 / (i - ${rows}::int) as i from generate_series(1, ${rows}::int) as i`;
    throw new Error("a statement that fails did not");
  },
};

export interface Told {
  /** What must not be. */
  readonly wrong: readonly string[];
  readonly answered: number;
  readonly failed: number;
  readonly longestMs: number;
  /** The type of the message on which the fault fell. */
  readonly fell: string | undefined;
}

const AT_ONCE = 15;

/** @param hangMs within which each question has an end */
export async function round(sql: Sql, proxy: FaultyLine, fault: Fault, run: string, hangMs: number): Promise<Told> {
  const wrong: string[] = [];
  const counts = { answered: 0, failed: 0 };
  let longestMs = 0;
  const one = async (index: number): Promise<void> => {
    const kinds = Object.entries(ASKING);
    const [what, ask] = kinds[index % kinds.length] as (typeof kinds)[number];
    const rows = 1 + (index % 5);
    const started = performance.now();
    const end = await ending(() => ask(sql, `${run} ${index}`, rows), `${run} ${index}`, rows, hangMs);
    longestMs = Math.max(longestMs, performance.now() - started);
    if (end === "answered" || end === "failed") counts[end]++;
    else wrong.push(`${what}: ${end}`);
  };
  proxy.arm(fault);
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => one(index)));
  const fell = proxy.disarm();
  wrong.push(...(await worksAgain(sql, run, hangMs)));
  return { wrong, ...counts, longestMs, fell };
}

/** "answered" with one's own rows, all of them; "failed"; or what is wrong. */
async function ending(
  ask: () => Promise<readonly Row[]>,
  nonce: string,
  rows: number,
  hangMs: number,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("hangs"), hangMs);
  });
  const answered = ask().then((read) => judge(read, nonce, rows), judgeFault);
  return Promise.race([answered, hangs]).finally(() => clearTimeout(timer));
}

function judge(read: readonly Row[], nonce: string, rows: number): string {
  if (read.some((row) => row.nonce !== nonce)) return `rows of another: ${JSON.stringify(read)} for ${nonce}`;
  // Rows of one answer may change places unseen: what they are is another matter.
  const order = read
    .map(({ i }) => i)
    .sort((one, other) => one - other)
    .join();
  const expected = Array.from({ length: rows }, (_, index) => index + 1).join();
  return order === expected ? "answered" : `its rows are ${order}, not ${expected}`;
}

/**
 * 22012: divided by zero, as it was asked to. XX000, 57014: made up by the proxy. 08P01, 26000, 34000, 42P05, 25001, 25P02,
 * 28P01: the server's word on a question that was spoilt, 22021, 22P02, 22P03 and 42601 on what was cut off in it.
 */
function judgeFault(fault: unknown): string {
  const code = typeof fault === "object" && fault !== null && "code" in fault ? String(fault.code) : "";
  const known = /^(22012|XX000|57014|08P01|26000|34000|42P05|25001|25P02|28P01|22021|22P02|22P03|42601)$/;
  return connectionLost(fault) || undone(fault) || known.test(code) ? "failed" : `failed with ${fault}`;
}

/** Nothing of it lasts: who asks until there is an answer has one soon. */
async function worksAgain(sql: Sql, run: string, hangMs: number): Promise<string[]> {
  const deadline = performance.now() + hangMs;
  const one = async (index: number): Promise<string[]> => {
    const nonce = `${run} after ${index}`;
    for (;;) {
      const ask = ASKING["a statement that is prepared"] as Ask;
      const end = await ending(() => ask(sql, nonce, 2), nonce, 2, hangMs);
      if (end === "answered") return [];
      if (end !== "failed" || performance.now() > deadline) return [`afterwards: ${end}`];
    }
  };
  return (await Promise.all(Array.from({ length: 6 }, (_, index) => one(index)))).flat();
}
