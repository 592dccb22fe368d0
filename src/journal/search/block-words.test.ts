import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { openPool, type Sql } from "../database.ts";
import { lister } from "./ask.ts";
import { BLOCK_SIZE, firstOf, offsetsOf } from "./block-set.ts";
import { countedByWords, foundByWords, haveWords } from "./block-words.ts";
import { conditionsOf } from "./conditions.ts";
import type { ListFilter } from "./list-filter.ts";
import { findPage } from "./lists.ts";
import { forgetBlocks, prepareBlock } from "./prepare-blocks.ts";

const TRANSACTIONS = BLOCK_SIZE + 99;
const OF_ANOTHER = 3_000;
/** Values that begin with each other, that sort by bytes and not by letters, and the last character that there is. */
const AWKWARD = [
  "A",
  "AA",
  "A ",
  "Aa",
  "a",
  "É",
  "\u{1f600}",
  "\ud7ff",
  "\ue000",
  "\u{10ffff}",
  "\u{10ffff}\u{10ffff}",
  "\u0001",
  "A\u0001",
];

/** Frequent values, rare ones, unique ones, and none. */
const VALUES = {
  id: "gen_random_uuid()",
  user_id: "('00000000-0000-7000-9000-00000000000' || number % 2)::uuid",
  created_at: "now()",
  card_mask: "'411111******' || (1000 + number % 3)",
  card_first_six: "(411100 + number % 70)::text",
  card_brand: "'visa'",
  card_expiry_month: "'12'",
  card_expiry_year: "'2039'",
  card_last_four: "(1000 + number % 3)::text",
  merchant_transaction_id: "'filler ' || number",
  first_name: "(array[ AWKWARD ])[1 + (number * 7 % 15)]",
  last_name: "null",
  email: "md5(number::text)",
  mobile_phone: "case when number % 5 > 0 then (1000 + number % 700)::text end",
  city: "case when number % 2 = 0 then 'Oslo' when number % 7 > 0 then 'City' || number % 900 end",
  state: "(array['CA', 'NY', 'TX'])[1 + number % 4]",
  zip: "(number % 64)::text",
  shipping_zip: "(number % 1023)::text",
  amount: "number % 1025",
  currency: "case when number % 3 = 0 then 'USD' else 'CAD' end",
} as const;
const PREFIXES = [
  "merchant_transaction_id",
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "city",
  "card_first_six",
] as const;
const EXACT = ["user_id", "state", "zip", "shipping_zip", "amount", "currency", "card_last_four", "card_mask"] as const;

describe("words of full blocks", () => {
  let database: FreshDatabase;
  // Before the other in every index.
  const another = v7();
  const merchantId = v7();
  before(async () => {
    database = await freshDatabase();
    const { pool } = database;
    const awkward = AWKWARD.map((_, nth) => `$${nth + 2}::text`).join(", ");
    const values = Object.values(VALUES).join(", ").replace(" AWKWARD ", awkward);
    await pool.unsafe(
      `insert into transactions (merchant_id, number, ${Object.keys(VALUES).join(", ")})
      select $1::uuid, number, ${values} from generate_series(1, ${TRANSACTIONS}) number`,
      [merchantId, ...AWKWARD],
    );
    await pool`insert into merchant_counters values (${merchantId}, ${TRANSACTIONS}, now())`;
    await alsoAnother(pool);
    while (await prepareBlock(asker(), merchantId));
  });
  after(() => database.drop());

  /** Another merchant has the same values under other numbers. */
  const alsoAnother = (pool: Sql) =>
    pool.begin(async (sql) => {
      await sql`
        create temporary table others on commit drop as
        select * from transactions where merchant_id = ${merchantId} and number <= ${OF_ANOTHER}`;
      await sql`
        update others set merchant_id = ${another}, id = gen_random_uuid(), number = ${OF_ANOTHER}::int + 1 - number`;
      await sql`insert into transactions select * from others`;
    });

  const asker = () => lister(database.pool, merchantId);
  const prepared = async () => {
    const rows = await database.pool<{ block: number; fields: number }[]>`
      select block::int4, count(*)::int4 as fields from block_words where merchant_id = ${merchantId} group by 1 order by 1`;
    return rows.map(({ block, fields }) => [block, fields]);
  };

  const byWords = async (filter: ListFilter): Promise<number[] | undefined> => {
    const conditions = conditionsOf(filter) ?? [];
    assert.ok(haveWords(conditions));
    const bits = (await foundByWords(asker(), merchantId, conditions, [0])).get(0);
    return bits && [...offsetsOf(bits)];
  };

  async function byRows({ startsWith = {}, equals = {} }: ListFilter, end = BLOCK_SIZE): Promise<number[]> {
    const conditions = [
      ...Object.entries(startsWith).map(([column, value]) => [`starts_with(${column}, $)`, value]),
      ...Object.entries(equals).map(([column, value]) => [`${column}::text = $`, value]),
    ] as const;
    const text = conditions.map(([condition], nth) => `and ${condition?.replace("$", `$${nth + 2}`)}`).join(" ");
    const rows = await database.pool.unsafe<{ number: number }[]>(
      `select number::int4 from transactions where merchant_id = $1 and number < ${end} ${text} order by number`,
      [merchantId, ...conditions.map(([, value]) => value ?? "")],
    );
    return rows.map(({ number }) => number);
  }

  const filters = fc.integer({ min: 1, max: BLOCK_SIZE - 1 }).chain((number) => {
    const prefix = fc.tuple(fc.constantFrom(...PREFIXES), fc.nat(4), fc.constantFrom("", "", "\u0001", "0", "z"));
    const one = fc.constantFrom(...EXACT);
    return fc.record({ number: fc.constant(number), prefix: fc.option(prefix), one: fc.option(one) });
  });

  /** How many there are, and which if they are few, as far as one condition tells. */
  const counted = async (filter: ListFilter) => {
    const [condition, ...others] = conditionsOf(filter) ?? [];
    if (condition === undefined || others.length > 0) return undefined;
    const told = (await countedByWords(asker(), merchantId, condition, [0])).get(0);
    return told && { count: told.count, offsets: told.bits && [...offsetsOf(told.bits)] };
  };

  test("tell which numbers have any value, and which begin with any text, as the rows do, and how many", async () => {
    const counts: number[] = [];
    const many: boolean[] = [];
    await fc.assert(
      fc.asyncProperty(filters, async ({ number, prefix, one }) => {
        const [row = {}] = await database.pool<Record<string, unknown>[]>`
          select * from transactions where merchant_id = ${merchantId} and number = ${number}`;
        const [column, length, more] = prefix ?? ["city", 0, ""];
        const begin = [...String(row[column] ?? "Z")].slice(0, length + 1).join("") + more;
        const filter = {
          ...(prefix &&
            begin !== "\u{10ffff}" &&
            begin !== "\u{10ffff}\u{10ffff}" && { startsWith: { [column]: begin } }),
          ...(one && { equals: { [one]: String(row[one] ?? "XX") } }),
        };
        const rows = await byRows(filter);
        counts.push(rows.length);
        assert.deepEqual(await byWords(filter), rows);
        const told = await counted(filter);
        if (told === undefined) return;
        assert.deepEqual(told, { count: rows.length, offsets: told.offsets && rows });
        assert.ok(told.offsets !== undefined || rows.length > 1_000);
        many.push(told.offsets === undefined);
      }),
      { numRuns: 150 },
    );
    for (const holds of [(n: number) => n === 0, (n: number) => n > 0 && n < 64, (n: number) => n > 40_000])
      assert.ok(counts.some(holds), "few, many and none are among them");
    assert.deepEqual(new Set(many), new Set([true, false]));
  });

  test("of one field after the other are prepared for full blocks alone", async () => {
    assert.deepEqual(await prepared(), [[0, 17]]);
    assert.equal(await prepareBlock(asker(), merchantId), false);
  });

  test("are a merchant's own: of another nothing is told, whatever is prepared of the first", async () => {
    const conditions = conditionsOf({ startsWith: { city: "Oslo" } }) ?? [];
    const [condition] = conditions;
    assert.ok(condition);
    assert.deepEqual(await foundByWords(asker(), another, conditions, [0]), new Map());
    assert.deepEqual(await countedByWords(asker(), another, condition, [0]), new Map());
  });

  test("make no difference to a page and its total", async () => {
    for (const filter of [{ startsWith: { city: "Oslo" } }, { startsWith: { email: "a" }, equals: { state: "NY" } }]) {
      const pool = openPool(database.address, "another node", { connections: 2 });
      const { total } = await findPage(pool, merchantId, filter, 1);
      await pool.end();
      const all = await byRows(filter, TRANSACTIONS + 1);
      assert.equal(total, all.length);
      assert.ok(all.some((number) => number >= firstOf(1)));
    }
  });

  test("are told for the blocks of the page alone, of others how many there are", async () => {
    let longest = 0;
    const pool = openPool(database.address, "another node", { connections: 2 });
    const watched = new Proxy(pool, {
      get: (target, name) => (name === "unsafe" ? watching : Reflect.get(target, name)),
    });
    const watching = async (...asked: Parameters<Sql["unsafe"]>) => {
      const rows = await pool.unsafe<Record<string, unknown>[]>(...asked);
      for (const value of rows.flatMap((row) => Object.values(row))) longest = Math.max(longest, String(value).length);
      return rows;
    };
    const city = { startsWith: { city: "Oslo" } };
    // The newest fifty are in the block that is not full.
    assert.equal((await findPage(watched, merchantId, city, 1)).total, TRANSACTIONS >> 1);
    assert.ok(longest < 10_000, `${longest} characters`);
    await findPage(watched, merchantId, city, 2);
    assert.ok(longest > 10_000, `${longest} characters`);
    await pool.end();
  });

  test("are gone with whoever changes rows, are not prepared while that lasts, and then tell the rows as they are", async () => {
    const moved = { startsWith: { city: "Moved" } };
    assert.deepEqual(await byWords(moved), []);
    await database.pool.begin(async (sql) => {
      await forgetBlocks(sql, merchantId, [4, 5]);
      await sql`update transactions set city = 'Moved' where merchant_id = ${merchantId} and number = 5`;
      assert.equal(await prepareBlock(asker(), merchantId), false);
    });
    assert.deepEqual(await prepared(), []);
    assert.equal(await byWords(moved), undefined);
    while (await prepareBlock(asker(), merchantId));
    assert.deepEqual(await byWords(moved), [5]);
  });

  test("are not prepared for a block that is archived in part", async () => {
    await database.pool.begin((sql) => forgetBlocks(sql, merchantId, [1]));
    await database.pool`insert into archives (merchant_id, through) values (${merchantId}, 7)`;
    assert.equal(await prepareBlock(asker(), merchantId), false);
    await database.pool`update archives set through = 0 where merchant_id = ${merchantId}`;
    assert.equal(await prepareBlock(asker(), merchantId), true);
  });
});
