// Lists by the types and statuses of events are exact, whatever of it is stored, remembered, in flight or changed since: compared with the
// rule, transaction by transaction, while histories happen that the rules let by.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { v7 } from "uuid";
import { conclusion } from "../../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { ON_CITUS } from "../../../test/database-server.ts";
import { chanceFrom, eventOf } from "../../../test/fixtures/awkward-transactions.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { history, historyOf } from "../../../test/fixtures/histories.ts";
import { fulfils } from "../../../test/fixtures/naive-list.ts";
import { listPage } from "../../../test/fixtures/whole-page.ts";
import { SEED, sized } from "../../../test/random.ts";
import { PROCESSOR_RESPONSE, told } from "../../../test/transactions.ts";
import type { FirstOutcome } from "../../payment/outcome.ts";
import { STATUSES } from "../../payment/status.ts";
import { EVENT_TYPES, type Event, newestOf, type Transaction, withEvent } from "../../payment/transaction.ts";
import { openPool, type Sql } from "../database.ts";
import { openJournal, type PostgresJournal } from "../postgres-journal.ts";
import { lister } from "./ask.ts";
import type { EventFilter } from "./list-filter.ts";
import { PAGE_SIZE } from "./lists.ts";
import { prepareSome } from "./prepare-standings.ts";

/** So many that the events of all are not looked through. */
const FILLERS = 2_100;
const HOUR_MS = 3_600_000;

describe("lists by the types and statuses of events", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  /** Of a process that asks now and then, and so has something to remember. */
  let seldom: Sql;
  let now = Date.parse("2031-05-01T12:00:00Z");
  const clock = { now: () => new Date(now) };
  const chance = chanceFrom(SEED);
  const merchantId = v7();
  /** As they are, and as they will be; oldest first. */
  const mine: { is: Transaction; readonly becomes: readonly Event[] }[] = [];
  const becomings = fc
    .sample(history, { seed: SEED, numRuns: 400 })
    .map((drawn) => historyOf({ ...drawn, crowd: 0 }).transaction);

  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    journal = openJournal({ address, pool, clock, node: 1, distributed: ON_CITUS });
    seldom = openPool(address, "another node", { connections: 2 });
    await pool`insert into nodes (started_at, seen_at, clear_before) values (${clock.now()}, now(), ${clock.now()})`;
    for (const is of await fill(pool, merchantId, clock.now(), FILLERS))
      mine.push({ is, becomes: [{ ...is.events[0], outcome: { ...LIKE, kind: "approved", settlement: null } }] });
    now += HOUR_MS;
  });
  after(async () => {
    await journal.close();
    await seldom.end();
    await database.drop();
  });

  /** Whatever is written from now on happens now or later. */
  const settle = () => database.pool`update nodes set clear_before = ${new Date(now + 60_000)}`;

  async function opensAny(): Promise<void> {
    const drawn = becomings[mine.length % becomings.length];
    assert.ok(drawn);
    // Now and then another processor is asked before.
    await opens(drawn, chance() < 0.3 && drawn.events[0].type === "sale" ? [declinedBefore(drawn.events[0])] : []);
  }

  async function opens(drawn: Transaction, tried: readonly Event[] = []): Promise<(typeof mine)[number]> {
    const becomes = [...tried, ...drawn.events].map((event, index) => ({ ...event, sequence: index + 1 }));
    const [first] = becomes;
    assert.ok(first);
    const charge = { ...first, id: v7(), createdAt: clock.now(), outcome: null };
    const intent: Transaction = { ...drawn, merchantId, id: v7(), createdAt: clock.now(), events: [charge] };
    const opened = await journal.open(intent, null);
    assert.ok(typeof opened === "object" && "createdAt" in opened);
    const { createdAt } = opened;
    const one = { is: { ...intent, createdAt, events: [{ ...charge, createdAt }] as const }, becomes };
    mine.push(one);
    return one;
  }

  /** To its end, or to what stays in flight. */
  async function happensAtOnce(history: Transaction): Promise<void> {
    const one = await opens(history);
    const events = history.events.length - 1;
    const outcomes = history.events.filter(({ outcome }) => outcome !== null).length;
    for (let step = 0; step < events + outcomes; step++) await goesOn(one);
  }

  /** Whatever comes next for it: the outcome of an event, another event, or that what was approved failed after all. */
  async function goesOn(one: (typeof mine)[number]): Promise<void> {
    const { is, becomes } = one;
    const ended = is.events.find((event, index) => event.outcome === null && becomes[index]?.outcome);
    const outcome = ended && becomes[is.events.indexOf(ended)]?.outcome;
    const next = becomes[is.events.length];
    if (ended && outcome) {
      const end = movedTo(clock.now(), outcome as FirstOutcome);
      assert.equal(await journal.conclude(conclusion(is, ended, end)), "concluded");
      one.is = inPlace(is, { ...ended, outcome: end });
    } else if (next) {
      const event = { ...next, id: v7(), createdAt: clock.now(), outcome: null };
      assert.equal(await journal.append(merchantId, is.id, event, null), "appended");
      one.is = withEvent(is, event);
    } else await failsAfterAll(one);
  }

  /** Where nothing else builds on it. */
  async function failsAfterAll(one: (typeof mine)[number]): Promise<void> {
    const event = newestOf(one.is);
    const { outcome } = event;
    if (outcome?.kind !== "approved" || event.type === "void" || chance() < 0.7) return;
    const failure = { ...LIKE, at: clock.now(), category: "refused" as const };
    await journal.failLate({ merchantId, transactionId: one.is.id, sequence: event.sequence }, failure);
    one.is = inPlace(one.is, { ...event, outcome: { kind: "failed-after-all", ...failure, approval: outcome } });
  }

  async function happen(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      now += Math.floor(chance() * (chance() < 0.7 ? 150 : 2_000));
      const sometimes = chance();
      if (sometimes < 0.03) await settle();
      if (sometimes > 0.99) now += Math.floor(chance() * 9 * HOUR_MS);
      const one = mine[mine.length - 1 - Math.floor(chance() ** 4 * mine.length)];
      if (chance() < 0.3 || one === undefined) await opensAny();
      else await goesOn(one);
    }
  }

  async function prepare(pool: Sql): Promise<void> {
    while (await prepareSome(lister(pool, merchantId), merchantId));
  }

  const filters: EventFilter[] = [undefined, ...EVENT_TYPES].flatMap((type) =>
    [undefined, ...STATUSES].map((is) => ({ ...(type && { type }), ...(is && { status: { is, at: clock.now() } }) })),
  );

  /** @returns how many there are */
  async function holds(pool: Sql, filter: EventFilter): Promise<number> {
    const event = { ...filter, ...(filter.status && { status: { ...filter.status, at: clock.now() } }) };
    const expected = mine.map(({ is }) => is).filter(fulfils({ event }));
    const { total, transactions } = await listPage(pool, merchantId, { event }, 1);
    const newest = expected.toReversed().slice(0, PAGE_SIZE);
    const found = [total, transactions.map(({ id }) => id)];
    assert.deepEqual(found, [expected.length, newest.map(({ id }) => id)], JSON.stringify(event));
    return total;
  }

  for (let round = 1; round <= sized(3, 60); round++) {
    test(`are exact while histories go on (${round})`, async () => {
      const totals: number[] = [];
      for (let time = 0; time < 6; time++) {
        await happen(60);
        // Within a second, of which more is to come.
        if (chance() < 0.7) await settle();
        const some = filters.slice(1).filter(() => chance() < 0.15);
        for (const filter of some) totals.push(await holds(database.pool, filter));
        if (chance() < 0.3) for (const filter of some.slice(0, 3)) await holds(seldom, filter);
        const fresh = openPool(database.address, "another node", { connections: 2 });
        if (chance() < 0.4) await prepare(chance() < 0.5 ? database.pool : fresh);
        for (const filter of some.slice(0, 3)) await holds(fresh, filter);
        await fresh.end();
      }
      assert.ok(
        totals.some((total) => total > 0 && total < 500) && new Set(totals).size > 5,
        "the filters tell something",
      );
    });
  }

  test("are exact for each type and each status", async () => {
    for (const histories of HALF_A_DAY_EACH) {
      now += 12 * HOUR_MS;
      for (const history of histories) await happensAtOnce(history);
    }
    await prepare(database.pool);
    const seen = new Set<string>();
    for (const filter of filters.slice(1))
      if ((await holds(database.pool, filter)) > 0) seen.add(filter.type ?? "any").add(filter.status?.is ?? "any");
    const expected = ["any", ...EVENT_TYPES, ...STATUSES];
    assert.deepEqual(
      expected.filter((one) => !seen.has(one)),
      [],
    );
  });

  test("are a merchant's own, whoever was asked for before", async () => {
    const another = v7();
    await fill(database.pool, another, new Date(now), FILLERS);
    const event = { type: "sale", status: { is: "pending", at: clock.now() } } as const;
    assert.ok(
      mine.slice(0, FILLERS).some(({ is }) => is.events[0].outcome !== null),
      "of the first some are not pending",
    );
    await holds(database.pool, event);
    assert.equal((await listPage(database.pool, another, { event }, 1)).total, FILLERS);
    await holds(database.pool, event);
  });

  test("are exact for all who ask at once, with other filters and periods beside", async () => {
    await happen(60);
    const status = { is: "settled", at: clock.now() } as const;
    const since = new Date(Date.parse("2031-05-01T12:00:00Z") - 21_000);
    const expected = mine.map(({ is }) => is);
    for (const filter of [
      { event: { status }, startsWith: { merchant_transaction_id: "order" } },
      { event: { status }, createdFrom: since },
      { event: { type: "sale", status: { is: "pending", at: clock.now() } }, startsWith: { first_name: "Ann" } },
    ] as const) {
      const fresh = openPool(database.address, "another node", { connections: 4 });
      const pages = [1, 2, 1, 2].map((page) => listPage(fresh, merchantId, filter, page));
      for (const { total } of await Promise.all(pages)) assert.equal(total, expected.filter(fulfils(filter)).length);
      await fresh.end();
    }
  });
});

/** Captured money's cut-off is ten hours later, and it is seen to have settled after fourteen hours: so each status is there. */
const HALF_A_DAY_EACH: readonly (readonly Transaction[])[] = [
  [told("CAD sale 100", "refund 40"), told("CAD auth 100", "capture 60"), told("CAD auth 100", "void 100")],
  [told("CAD sale 100")],
  [told("CAD auth 100"), told("CAD sale 100 declined"), told("CAD sale 100 not-sent"), told("CAD sale 100")],
  [told("CAD sale 100"), told("CAD sale 100 pending")],
];

const LIKE = { at: new Date(0), processorResponse: PROCESSOR_RESPONSE };

const declinedBefore = (charge: Event): Event => ({
  ...eventOf("sale", 1, charge.createdAt),
  amount: charge.amount,
  outcome: { ...LIKE, kind: "declined" },
});

/** In its place; the others stay. */
const inPlace = (transaction: Transaction, event: Event): Transaction => {
  const [first, ...rest] = transaction.events.map((one) => (one.sequence === event.sequence ? event : one));
  return { ...transaction, events: [first ?? event, ...rest] };
};

/** As much later as it is now. */
function movedTo(instant: Date, outcome: FirstOutcome): FirstOutcome {
  if (outcome.kind !== "approved" || outcome.settlement === null) return { ...outcome, at: instant };
  const moved = (time: Date) => new Date(time.getTime() + instant.getTime() - outcome.at.getTime());
  const { cutoffAt, settledAt, visibleAt } = outcome.settlement;
  const settlement = { cutoffAt: moved(cutoffAt), settledAt: moved(settledAt), visibleAt: moved(visibleAt) };
  return { ...outcome, at: instant, settlement };
}
