import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { v7 } from "uuid";
import { approved, conclusion, ended } from "../../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { ON_CITUS } from "../../../test/database-server.ts";
import { awkwardTransaction, chanceFrom, eventOf, USERS } from "../../../test/fixtures/awkward-transactions.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { fieldOf, filterAround, fulfils } from "../../../test/fixtures/naive-list.ts";
import { listPage } from "../../../test/fixtures/whole-page.ts";
import { SEED } from "../../../test/random.ts";
import type { FirstOutcome, SettlementTimes } from "../../payment/outcome.ts";
import { STATUSES } from "../../payment/status.ts";
import { newestOf, type Transaction, withEvent } from "../../payment/transaction.ts";
import { openJournal, type PostgresJournal } from "../postgres-journal.ts";
import { SEARCHED_FIELDS } from "../transaction-columns.ts";
import { lister } from "./ask.ts";
import { BLOCK_SIZE } from "./block-set.ts";
import { type ListFilter, PREFIX_FIELDS } from "./list-filter.ts";
import { PAGE_SIZE, streamMatches } from "./lists.ts";
import { prepareBlock } from "./prepare-blocks.ts";
import { MOST_JUDGED, TooMuchToLookThrough } from "./with-event.ts";

/** More than twice as many as a stream searches ahead, so that one is in each place among them. */
const MANY_BLOCKS = 37;

describe("lists of a merchant's transactions", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  let now = Date.parse("2031-05-01T12:00:00Z");
  const clock = { now: () => new Date(now) };
  const merchants = [v7(), v7()] as const;
  /** Of each merchant, oldest first. */
  const written = new Map<string, Transaction[]>(merchants.map((merchantId) => [merchantId, []]));
  const ofMerchant = (merchantId: string) => written.get(merchantId) ?? [];

  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    journal = openJournal({ address, pool, clock, node: 1, distributed: ON_CITUS });
    for (const merchantId of [merchants[0], v7()]) {
      await pool`insert into merchant_counters values (${merchantId}, 0, ${clock.now()})`;
    }
    await database.pool`insert into nodes (started_at, seen_at, clear_before) values (${clock.now()}, now(), ${clock.now()})`;
    ofMerchant(merchants[1]).push(...(await fill(database.pool, merchants[1], clock.now())));
  });
  after(async () => {
    await journal.close();
    await database.drop();
  });

  /** Whatever is written from now on happens now or later: what was before may be remembered. */
  const settle = () => database.pool`update nodes set clear_before = ${new Date(now + 60_000)}`;

  /** Some more of each merchant, follow-ups to older ones among them. */
  async function writeMore(count: number, seed: number): Promise<void> {
    const chance = chanceFrom(seed);
    for (let done = 0; done < count; done++) {
      if (done % 25 === 24) await settle();
      const merchantId = merchants[chance() < 0.5 ? 0 : 1];
      const mine = ofMerchant(merchantId);
      now += Math.floor(chance() * 900);
      // The first and the last thousandth of a second are where the ends of a period fall.
      if (chance() < 0.5) now += (chance() < 0.5 ? 999 : 1_000) - (now % 1_000);
      const intent = awkwardTransaction(merchantId, clock.now(), chance);
      const opened = await journal.open(intent, null);
      assert.ok(typeof opened === "object" && "createdAt" in opened);
      mine.push({
        ...intent,
        createdAt: opened.createdAt,
        events: [{ ...intent.events[0], createdAt: opened.createdAt }],
      });
      const index = mine.length - 1 - Math.floor(chance() ** 3 * mine.length);
      const older = mine[index];
      if (older === undefined) continue;
      const next = chance();
      if (next < 0.4) {
        const followUp = eventOf("refund", older.events.length + 1, clock.now());
        assert.equal(await journal.append(merchantId, older.id, followUp, null), "appended");
        mine[index] = withEvent(older, followUp);
      } else if (next < 0.7) mine[index] = await withNews(older);
    }
  }

  /** Of its newest event: the outcome, and where there was one, that it failed after all. */
  async function withNews(older: Transaction): Promise<Transaction> {
    const event = newestOf(older);
    const { outcome } = event;
    if (outcome === null) {
      const end = endNow();
      assert.equal(await journal.conclude(conclusion(older, event, end)), "concluded");
      return withEvent(older, { ...event, outcome: end });
    }
    if (outcome.kind !== "approved") return older;
    const failure = { at: clock.now(), processorResponse: outcome.processorResponse, category: "refused" as const };
    await journal.failLate(
      { merchantId: older.merchantId, transactionId: older.id, sequence: event.sequence },
      failure,
    );
    return withEvent(older, { ...event, outcome: { kind: "failed-after-all", ...failure, approval: outcome } });
  }

  function endNow(): FirstOutcome {
    if (now % 5 === 0) return ended("declined", clock.now());
    return now % 7 === 0 ? ended("unanswered", clock.now()) : approved(clock.now(), settlement());
  }

  /** Of some, within the next minutes. */
  function settlement(): SettlementTimes | null {
    if (now % 2 === 0) return null;
    const in_ = (minutes: number) => new Date(now + minutes * 60_000);
    return { cutoffAt: in_(1), settledAt: in_(2), visibleAt: in_(3) };
  }

  /** Newest first. */
  const selected = (merchantId: string, filter: ListFilter): Transaction[] =>
    ofMerchant(merchantId).filter(fulfils(filter)).reverse();

  async function everything(merchantId: string, filter: ListFilter): Promise<Transaction[]> {
    const all: Transaction[] = [];
    for await (const portion of streamMatches(database.pool, merchantId, filter)) all.push(...portion);
    return all;
  }

  const filters = fc.integer({ min: 0, max: 2 ** 30 }).chain((pick) => {
    const mine = ofMerchant(merchants[pick % 2] ?? "");
    const late = mine.slice(-300);
    const one = late[pick % late.length];
    const other = late[(pick >> 8) % late.length];
    return fc.record({
      merchantId: fc.constant(one?.merchantId ?? ""),
      filter: filterAround(one as Transaction, other as Transaction),
      page: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 2 ** 31 })),
    });
  });

  /** As a stream gives them: lines have no room for the rest. */
  const inLines = (transactions: readonly Transaction[]) =>
    transactions.map((one) => ({
      ...one,
      meta: null,
      passengers: one.passengers?.map(({ id, fares }) => ({ id, fares, legs: [] })) ?? null,
    }));

  /** @returns how many there are */
  async function holds(merchantId: string, filter: ListFilter, page: number): Promise<number> {
    const expected = selected(merchantId, filter);
    const start = (page - 1) * PAGE_SIZE;
    assert.deepEqual(await listPage(database.pool, merchantId, filter, page), {
      transactions: expected.slice(start, start + PAGE_SIZE),
      total: expected.length,
    });
    return expected.length;
  }

  for (const round of [1, 2, 3]) {
    test(`hold exactly what fulfils the filter, newest first, with true totals (${round})`, async (t) => {
      const seed = SEED + round;
      t.diagnostic(`seed ${SEED}`);
      await writeMore(120, seed);
      // From the second round on one block is full.
      while (await prepareBlock(lister(database.pool, merchants[1]), merchants[1]));
      const totals: number[] = [];
      await fc.assert(
        fc.asyncProperty(filters, async ({ merchantId, filter, page }) => {
          totals.push(await holds(merchantId, filter, page));
        }),
        { seed, numRuns: 200 },
      );
      for (const type of ["refund", "capture"] as const)
        for (const createdFrom of [undefined, new Date(now - 90_000)])
          await holds(merchants[1], { event: { type }, ...(createdFrom && { createdFrom }) }, 1);
      const few = totals.filter((total) => total > 0 && total < 200);
      assert.ok(few.length > 50 && totals.includes(0), "the filters tell something");
    });
  }

  test("hold what came since, under a filter that was asked before", async () => {
    const filter = { startsWith: { city: "A" } };
    for (const merchantId of merchants) await holds(merchantId, filter, 1);
    await writeMore(30, SEED + 4);
    for (const merchantId of merchants) await holds(merchantId, filter, 1);
  });

  test("are the same for all who ask at once", async () => {
    for (const filter of [{ startsWith: { city: "An" } }, { startsWith: { email: "A" }, equals: { state: "CA" } }]) {
      await Promise.all(Array.from({ length: 10 }, () => holds(merchants[1], filter, 1)));
    }
  });

  test("are the same whether a block's numbers were only counted before, in any order and all at once", async () => {
    const pages = (filter: ListFilter) => {
      const last = Math.ceil(selected(merchants[1], filter).length / PAGE_SIZE);
      return [1, last, 700, 2, last + 1, 1].map((page) => () => holds(merchants[1], filter, page));
    };
    for (const page of pages({ startsWith: { city: "cit" } })) assert.ok((await page()) > 60_000);
    await Promise.all(pages({ startsWith: { city: "ci" } }).map((page) => page()));
    const within = { createdFrom: new Date("2031-05-01T11:50:00Z"), createdTo: new Date("2031-05-01T11:59:00Z") };
    for (const page of pages({ startsWith: { city: "ci" }, ...within })) assert.ok((await page()) > 30_000);
    for (const page of pages({ startsWith: { city: "c" }, ...within })) await page();
    for (const page of pages({ startsWith: { city: "c" } })) await page();
  });

  test("hold what charged or stored a card on file, alone and with other filters", async () => {
    const cards = [v7(), v7()];
    for (const [nth, city] of ["Bern", "Basel", "Bern"].entries()) {
      const { fields, ...charge } = awkwardTransaction(merchants[0], clock.now(), () => 0.9);
      const onFile = { ...charge, onFile: { cardId: cards[nth >> 1] ?? "" }, fields: { ...fields, city } };
      if (typeof (await journal.open(onFile, null)) === "object") ofMerchant(merchants[0]).push(onFile);
    }
    const held = ["", "Be", "Bas"].flatMap((city) =>
      [...cards, "4111"].map((card_id) => holds(merchants[0], { equals: { card_id }, startsWith: { city } }, 1)),
    );
    assert.deepEqual(await Promise.all(held), [2, 1, 0, 1, 1, 0, 1, 0, 0]);
  });

  test("hold texts that are as long as they may be, in every field", async () => {
    const chance = chanceFrom(SEED + 6);
    // 255 characters of four bytes each, which cannot be compressed.
    const longest = () =>
      String.fromCodePoint(...Array.from({ length: 255 }, () => 0x10000 + Math.floor(chance() * 0xfffff)));
    const short = awkwardTransaction(merchants[0], clock.now(), () => 0.9);
    const fields = Object.fromEntries(SEARCHED_FIELDS.map((field) => [field, longest()]));
    const long = {
      ...short,
      merchantTransactionId: longest(),
      fields: { ...fields, state: "CAL", shipping_state: "CAL" },
    };
    assert.ok(typeof (await journal.open(long, null)) === "object");
    ofMerchant(merchants[0]).push(long);
    for (const field of PREFIX_FIELDS) {
      assert.equal(
        (await holds(merchants[0], { startsWith: { [field]: fieldOf(long, field) ?? "" } }, 1)) > 0,
        true,
        field,
      );
    }
    assert.equal(await holds(merchants[0], { equals: { zip: fieldOf(long, "zip") ?? "" } }, 1), 1);
  });

  test("hold what has an event of a type and a status, as it is at any time", async () => {
    const seen = new Set<string>();
    for (const minutes of [-60, 0, 1.5, 60])
      for (const is of [undefined, ...STATUSES])
        for (const type of [undefined, "sale", "refund"] as const) {
          const status = is && { is, at: new Date(now + minutes * 60_000) };
          const filter = { event: { ...(type && { type }), ...(status && { status }) } };
          if ((await holds(merchants[0], filter, 1)) > 0) seen.add(is ?? "any").add(type ?? "any");
          const all = await everything(merchants[0], filter);
          assert.deepEqual(all, inLines(selected(merchants[0], filter)));
        }
    const none = ["authorized", "voided"];
    assert.deepEqual(
      [...seen].sort(),
      ["any", ...STATUSES, "sale", "refund"].filter((one) => !none.includes(one)).sort(),
    );
  });

  test("look through a bounded number of events, which other filters bring down; a stream has no bound", async () => {
    const at = clock.now();
    const pending = { event: { status: { is: "pending", at } } } as const;
    await assert.rejects(holds(merchants[1], pending, 1), (fault) => {
      assert.ok(fault instanceof TooMuchToLookThrough);
      assert.deepEqual([fault.count, fault.most], [selected(merchants[1], pending).length, MOST_JUDGED]);
      return true;
    });
    assert.ok((await holds(merchants[1], { ...pending, createdFrom: new Date("2031-05-01T12:00:01Z") }, 1)) > 0);
    assert.ok((await holds(merchants[1], { event: { type: "refund" } }, 1)) > 0);
    const refunds = { event: { type: "refund", status: { is: "pending", at } } } as const;
    assert.deepEqual(await everything(merchants[1], refunds), inLines(selected(merchants[1], refunds)));
  });

  test("as a stream are the same as by page, on both sides of a block's end", async () => {
    const since = new Date("2031-05-01T11:59:45Z");
    for (const filter of [
      { createdFrom: since },
      { startsWith: { city: "Ann" } },
      { startsWith: { first_name: "A" } },
    ]) {
      const expected = selected(merchants[1], filter);
      assert.deepEqual(await everything(merchants[1], filter), inLines(expected));
      for (const page of [1, 2, Math.ceil(expected.length / PAGE_SIZE)]) await holds(merchants[1], filter, page);
    }
    for (const page of [1, 2, 700, Math.ceil(ofMerchant(merchants[1]).length / PAGE_SIZE)])
      await holds(merchants[1], {}, page);
  });

  test("a stream holds what there was at its start, each once, whatever is added meanwhile", async () => {
    const filter = { startsWith: { first_name: "A" } };
    const expected = selected(merchants[1], filter).map(({ id }) => id);
    const ids: string[] = [];
    for await (const portion of streamMatches(database.pool, merchants[1], filter)) {
      if (ids.length === 0) await writeMore(60, SEED + 5);
      ids.push(...portion.map(({ id }) => id));
    }
    assert.ok(ids.length > 200, "more than one portion");
    assert.deepEqual(ids, expected);
  });

  test("a stream holds each match once where there are more blocks than are searched ahead, also with an event", async () => {
    const merchantId = v7();
    await fill(database.pool, merchantId, new Date(now), MANY_BLOCKS);
    // One of each block, by way of numbers that none of them has in the end.
    const beyond = MANY_BLOCKS * BLOCK_SIZE;
    await database.pool`
      update transactions set number = number + ${beyond} where merchant_id = ${merchantId}`;
    await database.pool`
      update transactions set number = 7 + (number - ${beyond}::int - 1) * ${BLOCK_SIZE}::int where merchant_id = ${merchantId}`;
    await database.pool`
      update merchant_counters set transactions = ${beyond} where merchant_id = ${merchantId}`;
    const found = async (filter: ListFilter) =>
      (await Array.fromAsync(streamMatches(database.pool, merchantId, filter)))
        .flat()
        .map(({ merchantTransactionId }) => merchantTransactionId);
    const all = Array.from({ length: MANY_BLOCKS }, (_, nth) => `filler ${MANY_BLOCKS - nth}`);
    const startsWith = { city: "Ann" };
    assert.deepEqual(await found({ startsWith }), all);
    assert.deepEqual(await found({ startsWith, event: { type: "sale" } }), all);
  });

  test("a stream looks through all of a block for an event, also where they are more than a portion has", async () => {
    const merchantId = v7();
    await fill(database.pool, merchantId, new Date(now), 1_000);
    const filter = { event: { type: "sale" } } as const;
    const found = (await Array.fromAsync(streamMatches(database.pool, merchantId, filter))).flat();
    assert.deepEqual(
      found.map(({ merchantTransactionId }) => merchantTransactionId),
      Array.from({ length: 1_000 }, (_, nth) => `filler ${1_000 - nth}`),
    );
  });

  test("nothing is asked once the consumer of a stream has stopped", async () => {
    let asked = 0;
    const counting = new Proxy(database.pool, {
      apply: (pool, _, asking) => {
        asked++;
        return Reflect.apply(pool, undefined, asking);
      },
      get: (pool, name) => (name === "unsafe" ? counted : Reflect.get(pool, name)),
    });
    const counted: typeof counting.unsafe = (...asking) => {
      asked++;
      return database.pool.unsafe(...asking);
    };
    for await (const portion of streamMatches(counting, merchants[1], {})) {
      assert.ok(portion.length > 0);
      asked = 0;
      break;
    }
    await counting`select 1`;
    assert.equal(asked, 1);
  });

  test("a page beyond the last is empty and its total true", async () => {
    const total = ofMerchant(merchants[0]).length;
    for (const page of [Math.ceil(total / PAGE_SIZE) + 1, 2 ** 31, 2 ** 53, Number.MAX_VALUE]) {
      assert.deepEqual(await listPage(database.pool, merchants[0], {}, page), { transactions: [], total });
    }
  });

  test("a merchant without transactions, and one that nobody knows, have empty lists", async () => {
    for (const filter of [
      {},
      { createdFrom: clock.now() },
      { updatedTo: clock.now() },
      { startsWith: { city: "A" } },
    ]) {
      assert.deepEqual(await listPage(database.pool, v7(), filter, 1), { transactions: [], total: 0 });
      assert.deepEqual(await everything(v7(), filter), []);
    }
  });

  const instants = ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2031-05-01T12:00:00Z", "9999-12-31T23:59:59Z"];
  for (const from of instants) {
    for (const to of instants) {
      test(`any time is understood: from ${from} to ${to}`, async () => {
        const [start, end] = [new Date(from), new Date(to)];
        await holds(merchants[0], { createdFrom: start, createdTo: end }, 1);
        await holds(merchants[0], { updatedFrom: start, updatedTo: end }, 1);
      });
    }
  }

  const impossible: [string, ListFilter][] = [
    ["a NUL at the end of a prefix", { startsWith: { email: "a\0" } }],
    ["a NUL in a value", { equals: { zip: "\0" } }],
    ["a NUL in an authorization code", { authCode: "\0" }],
    ["half a character", { startsWith: { first_name: "\ud83d" } }],
    ["no user's id", { equals: { user_id: "somebody" } }],
    ["a user's id in capitals", { equals: { user_id: USERS[0].toUpperCase() } }],
  ];
  for (const [what, filter] of impossible) {
    test(`nothing matches ${what}, and PostgreSQL is not asked`, async () => {
      const closed = (await freshDatabase()).pool;
      await closed.end();
      assert.deepEqual(await listPage(closed, merchants[0], filter, 1), { transactions: [], total: 0 });
    });
  }
});
