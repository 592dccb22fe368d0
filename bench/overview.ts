// `node bin/run.mjs bench/overview.ts [transactions]`: how long the overview of a year takes. The figures of the hours are made from
// generated charges, without the charges; all that follows is the gateway's own work. Takes a minute, and all is gone when it ends.

import { performance } from "node:perf_hooks";
import { addUpNewestDay } from "../src/journal/daily-figures.ts";
import type { Sql } from "../src/journal/database.ts";
import { migrate } from "../src/journal/migrate.ts";
import { lister } from "../src/journal/search/ask.ts";
import { type Overview, overview } from "../src/settlement/overview.ts";
import { newFolder, openDatabase } from "./data.ts";
import { machineFacts } from "./machine.ts";
import { ascending, percentile } from "./statistics.ts";
import { type Undo, undoing } from "./undo.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 5_000_000);
const MERCHANT = "00000000-0000-7000-8000-000000000001";
const DAYS = 365;
const DAY_MS = 24 * 3_600_000;
const BEGIN = new Date("2030-01-01T00:00:00Z");
const END = new Date(BEGIN.getTime() + DAYS * DAY_MS);
/** The last hours before it are added up anew, of events, which are not there. */
const NOW = new Date(END.getTime() + DAY_MS);

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const digits = (_key: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const { cores, processor, loadBefore } = machineFacts(folder);
  console.log(`${cores} cores (${processor}), load before ${loadBefore.toFixed(1)}`);
  const sql = await openDatabase(undo, folder);
  await migrate(sql);
  const fillMs = await timed(() => fillHours(sql));
  const { hours } = await countOf(sql);
  console.log(`${TRANSACTIONS} transactions are ${hours} rows by the hour, made in ${seconds(fillMs)}\n`);
  const byHours = await tell(sql, "by hours, as after an update", 3);
  const daysMs = await timed(async () => {
    while (await addUpNewestDay(lister(sql, MERCHANT), MERCHANT));
  });
  const byDays = await tell(sql, "by days", 30);
  const { days } = await countOf(sql);
  console.log(`\n${days} rows by the day, added up in ${seconds(daysMs)}`);
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  const charges = byDays.overviews.reduce((sum, one) => sum + one.charges.count, 0);
  say(charges === TRANSACTIONS, `the overviews of both currencies have ${charges} charges`);
  say(JSON.stringify(byHours.overviews, digits) === JSON.stringify(byDays.overviews, digits), "by days as by hours");
  say(byDays.slowestMs < 1_000, `each took less than a second: ${byDays.slowestMs.toFixed(0)} ms at most`);
}

/** Three processor records, four brands, two currencies, 11 of a hundred declined for one of twelve reasons, every tenth refunded. */
async function fillHours(sql: Sql): Promise<void> {
  await sql.begin(async (one) => {
    await one`set local statement_timeout = 0`;
    await one`set local work_mem = '512MB'`;
    await one`insert into merchants (id, name, created_at) values (${MERCHANT}, 'Shop', ${BEGIN})`;
    await one`
      insert into figures (merchant_id, hour, currency, processor_id, card_brand, type, kind, code, category, message, attempt,
        events, amount)
      select ${MERCHANT}::uuid, ${BEGIN}::timestamptz + at * interval '1 hour', case when a % 4 = 0 then 'CAD' else 'USD' end,
        ('00000000-0000-7000-8000-00000000000' || case when a / 4 % 10 < 6 then 1 when a / 4 % 10 < 9 then 2 else 3 end)::uuid,
        case when b < 50 then 'visa' when b < 80 then 'mastercard' when b < 95 then 'amex' else 'discover' end,
        type, case when code is null then 'approved' else 'declined' end, code, case when code is not null then 'try-later' end,
        'DECLINED ' || code, false, sum(events), sum(events) * 1234
      from (
        select at, a, b, type, events, case when type = 'sale' and c < 110 then (51 + c % 12)::text end as code
        from (
          select i * ${DAYS * 24}::bigint / ${TRANSACTIONS}::int as at, abs(hashint4(i)) % 1000 as a,
            abs(hashint4(i + 100000000)) % 100 as b, abs(hashint4(i + 200000000)) % 1000 as c
          from generate_series(0, ${TRANSACTIONS}::int - 1) i
        ) charge
        cross join lateral (values ('sale', 1), ('refund', case when c % 10 = 9 then 1 else 0 end)) event (type, events)
      ) event
      where events > 0
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`;
    await one`insert into figures_known values (${MERCHANT}, ${NOW})`;
    await one`analyze figures`;
  });
}

interface Told {
  readonly overviews: readonly Overview[];
  readonly slowestMs: number;
}

async function tell(sql: Sql, how: string, times: number): Promise<Told> {
  const overviews: Overview[] = [];
  let slowestMs = 0;
  for (const currency of ["USD", "CAD"]) {
    const took: number[] = [];
    for (let time = 0; time < times; time++) took.push(await timed(() => shown(sql, currency)));
    const sorted = ascending(took);
    const [first, median, slowest] = [took[0] ?? 0, percentile(sorted, 0.5), percentile(sorted, 1)];
    console.log(
      `a year in ${currency}, ${how}: first ${first.toFixed(0)} ms, median ${median.toFixed(0)}, slowest of ${times} ${slowest.toFixed(0)}`,
    );
    slowestMs = Math.max(slowestMs, slowest);
    overviews.push(await shown(sql, currency));
  }
  return { overviews, slowestMs };
}

function shown(sql: Sql, currency: string): Promise<Overview> {
  return overview(lister(sql, MERCHANT), { merchantId: MERCHANT, currency, from: BEGIN, before: END }, NOW);
}

async function countOf(sql: Sql): Promise<{ hours: number; days: number }> {
  const [row] = await sql<[{ hours: number; days: number }]>`
    select (select count(*)::int from figures) as hours, (select count(*)::int from daily_figures) as days`;
  return row;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
