import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { v7 } from "uuid";
import { approved, conclusion, ended, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { addUpNewestDay, merchantsWithChangedDays } from "../journal/daily-figures.ts";
import { addUpFigures } from "../journal/figures.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import { lister } from "../journal/search/ask.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import type { Transaction } from "../payment/transaction.ts";
import { overview } from "./overview.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse("2031-05-01T00:00:00Z");

const declined = (at: Date): FirstOutcome => ({ ...ended("declined", at), kind: "declined", category: "try-later" });
const ENDS = { approved, declined, none: undefined } as const;

/** Charges, each some hours after the one before. */
const charges = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 30 }),
    currency: fc.constantFrom("USD", "CAD"),
    end: fc.constantFrom(...(["approved", "declined", "none"] as const)),
  }),
  { minLength: 6, maxLength: 14 },
);
/** What becomes of them when their days were added up. */
const changes = fc.array(fc.constantFrom("late answer", "older gateway", "hours", "days"), { maxLength: 6 });
const periods = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 })), {
  minLength: 4,
  maxLength: 4,
});

describe("figures by the day", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  let now = START;
  const clock = { now: () => new Date(now) };
  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    journal = openJournal({ address, pool, clock, node: await registerNode(pool, clock.now()) });
  });
  after(async () => {
    await journal.close();
    await database.drop();
  });

  const merchant = async (): Promise<string> => {
    const id = v7();
    now = START;
    await database.pool`insert into merchant_counters values (${id}, 0, ${clock.now()})`;
    return id;
  };
  const charged = async (merchantId: string, end: keyof typeof ENDS, currency = "USD"): Promise<Transaction> => {
    const transaction = { ...intent(merchantId, clock.now()), currency };
    await journal.open(transaction, null);
    await answered(transaction, end);
    return transaction;
  };
  const answered = async (transaction: Transaction, end: keyof typeof ENDS) => {
    const outcome = ENDS[end]?.(clock.now());
    if (outcome) await journal.conclude(conclusion(transaction, transaction.events[0], outcome));
  };
  const asker = (id: string) => lister(database.pool, id);
  const addUpHours = (id: string) => addUpFigures(asker(id), id, new Date(now + 1), 100);
  const addUpDays = async (id: string) => {
    let days = 0;
    while (await addUpNewestDay(asker(id), id)) days++;
    return days;
  };
  /** As a gateway does that knows of no days. */
  const writtenByOlder = (id: string) => database.pool`
    with gone as (delete from figures where merchant_id = ${id} and extract(day from hour at time zone 'UTC')::int % 2 = 0 returning *)
    insert into figures (merchant_id, hour, currency, processor_id, card_brand, type, kind, code, category, message, portion, attempt,
      events, amount)
    select merchant_id, hour, currency, processor_id, card_brand, type, kind, code, category, message, portion, attempt, events, amount
    from gone`;
  const shown = async (id: string, from: number, before: number, currency = "USD") => {
    const period = { merchantId: id, currency, from: new Date(from), before: new Date(before) };
    const { charges, points, declines } = await overview(asker(id), period, new Date(now + 1));
    const sum = points.reduce((all, point) => all + point.count, 0);
    const { count, approved, declined, amount } = charges;
    return {
      charges: { count, approved, declined, amount },
      points: sum,
      codes: declines.reduce((all, of) => all + of.count, 0),
    };
  };
  /** Of the transactions themselves. */
  const counted = async (id: string, from: number, before: number, currency: string) => {
    const [row] = await database.pool<{ all: number; approved: number; declined: number; amount: string }[]>`
      select count(*)::int as all, count(*) filter (where kind = 'approved')::int as approved,
        count(*) filter (where kind = 'declined')::int as declined,
        coalesce(sum(e.amount) filter (where kind = 'approved'), 0)::text as amount
      from transactions t join events e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
      left join outcomes o on o.merchant_id = t.merchant_id and o.transaction_id = t.id
      where t.merchant_id = ${id} and currency = ${currency} and e.created_at >= ${new Date(from)} and e.created_at < ${new Date(before)}`;
    assert.ok(row);
    const { all, approved, declined, amount } = row;
    return { charges: { count: all, approved, declined, amount: BigInt(amount) }, points: all, codes: declined };
  };

  test("every period's overview is what its transactions come to, whoever wrote the hours and whenever days were added up", () =>
    fc.assert(
      fc.asyncProperty(charges, changes, periods, async (charges, changes, periods) => {
        const id = await merchant();
        const pending: Transaction[] = [];
        for (const { hours, currency, end } of charges) {
          now += hours * HOUR_MS;
          const transaction = await charged(id, end, currency);
          if (end === "none") pending.push(transaction);
        }
        now += 2 * DAY_MS;
        for (const change of ["days", ...changes, "hours"]) {
          const late = change === "late answer" ? pending.shift() : undefined;
          if (late) await answered(late, "approved");
          if (change === "older gateway") await writtenByOlder(id);
          if (change === "hours" || change === "days") await addUpHours(id);
          if (change === "days") await addUpDays(id);
          now += HOUR_MS;
        }
        for (const [hour, hours] of [[0, 600] as const, ...periods]) {
          const [from, until] = [START + hour * HOUR_MS, START + (hour + hours) * HOUR_MS];
          for (const currency of ["USD", "CAD"])
            assert.deepEqual(await shown(id, from, until, currency), await counted(id, from, until, currency));
        }
      }),
      { numRuns: 5 },
    ));

  test("a day is read as it was added up, and by its hours once one of them was written again", async () => {
    const id = await merchant();
    for (let day = 0; day < 6; day++) {
      await charged(id, "approved");
      now += DAY_MS;
    }
    await addUpHours(id);
    // The last one is not over for long enough.
    assert.equal(await addUpDays(id), 5);
    await database.pool`update daily_figures set events = 10 where merchant_id = ${id}`;
    const count = async () => (await shown(id, START, START + 6 * DAY_MS)).charges.count;
    assert.equal(await count(), 51);
    await writtenByOlder(id);
    assert.equal(await count(), 33);
    assert.equal(await addUpDays(id), 2);
    assert.equal(await count(), 33);
    const [row] = await database.pool`select count(*)::int as days from daily_figures where merchant_id = ${id}`;
    assert.equal(row?.days, 5);
  });

  test("the background is told of merchants with such days, and of no others", async () => {
    const id = await merchant();
    await charged(id, "approved");
    const told = async () => (await merchantsWithChangedDays(database.pool, clock.now())).includes(id);
    await addUpHours(id);
    assert.equal(await told(), false);
    now += 4 * DAY_MS;
    await addUpHours(id);
    assert.equal(await told(), true);
    assert.equal(await addUpDays(id), 1);
    assert.equal(await told(), false);
  });
});
