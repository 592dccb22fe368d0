import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { until } from "../../test/receiver.ts";
import { openPool } from "../journal/database.ts";
import { addUpFigures } from "../journal/figures.ts";
import { exporter } from "../journal/search/ask.ts";
import { startFigures } from "./figures.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
const LATER = new Date("2031-05-03T12:00:00Z");
/** Every one of them is longer not added up than the last. */
const FAILING = 25;

describe("figures are added up in the background", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const merchant = async (events: number): Promise<string> => {
    const id = v7();
    await database.pool`insert into merchants (id, name, created_at) values (${id}, 'merchant', ${LATEST})`;
    await fill(database.pool, id, LATEST, events);
    return id;
  };
  /** What happens at each row of figures. */
  const atEachRow = (statements: string) =>
    database.pool.unsafe(`
      create or replace function at_each_row() returns trigger language plpgsql as $$ begin ${statements} return new; end $$;
      create or replace trigger at_each_row before insert on figures for each row execute function at_each_row()`);
  const eventsOf = async (id: string): Promise<number> => {
    const [row] = await database.pool<{ events: number }[]>`
      select coalesce(sum(events), 0)::int as events from figures where merchant_id = ${id}`;
    return row?.events ?? 0;
  };

  test("also of a merchant behind many whose figures cannot be added up", async () => {
    for (let nth = 0; nth < FAILING; nth++) await merchant(1);
    const sound = await merchant(3);
    await database.pool`insert into figures_known (merchant_id, before) values (${sound}, '2000-01-01Z')`;
    await atEachRow(`if new.merchant_id <> '${sound}' then raise exception 'broken'; end if;`);
    const warnings: string[] = [];
    const warn = (_: object, message: string) => void warnings.push(message);
    const log = { info: () => undefined, warn, error: () => undefined };
    const { stop } = startFigures({ clock: { now: () => LATER }, log }, database.pool);
    try {
      await until("the last merchant's are added up", async () => (await eventsOf(sound)) === 3);
    } finally {
      await stop();
    }
    assert.deepEqual(warnings, Array(FAILING).fill("figures could not be added up"));
  });

  test("a day with more than one statement gets through in its time is added up in parts", async () => {
    const id = await merchant(24);
    await database.pool`
      update events e set created_at = ${LATEST}::timestamptz + number * interval '1 hour' from transactions t
      where e.merchant_id = ${id} and t.merchant_id = ${id} and t.id = e.transaction_id`;
    await atEachRow("perform pg_sleep(0.1);");
    const impatient = openPool(database.address, "impatient", { statementTimeoutMs: 1_000 });
    try {
      await addUpFigures(exporter(impatient, id), id, LATER, 100);
    } finally {
      await impatient.end({ timeout: 1 });
    }
    assert.equal(await eventsOf(id), 24);
  });
});
