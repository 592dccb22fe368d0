// Whose lists are answered first, told by who was answered and not by clocks.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { ShareUsedUp } from "../../shares/turns.ts";
import type { Sql } from "../database.ts";
import { findPage, streamMatches } from "./lists.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
const MANY = 40;

describe("lists of one merchant", () => {
  let database: FreshDatabase;
  const [busy, other] = [v7(), v7()];
  before(async () => {
    database = await freshDatabase();
    await fill(database.pool, busy, LATEST, 20_000);
    await fill(database.pool, other, LATEST, 500);
  });
  after(() => database.drop());

  /** A pool with turns of its own, which tells what was asked of it. */
  function watched(asked: () => void = () => undefined): Sql {
    return new Proxy(database.pool, {
      get(pool, name) {
        if (name !== "unsafe") return Reflect.get(pool, name);
        return (...statement: Parameters<Sql["unsafe"]>) => {
          asked();
          return pool.unsafe(...statement);
        };
      },
    });
  }

  /** Each searches anew. */
  const search = (pool: Sql, merchantId: string, nth: number, signal?: AbortSignal) =>
    findPage(pool, merchantId, { startsWith: { first_name: `Ann${nth}` } }, 1, signal);

  test("keep another merchant's list waiting for no more than the statements in flight", async () => {
    const pool = watched();
    let answered = 0;
    const searches = Array.from({ length: MANY }, async (_, nth) => {
      await search(pool, busy, nth);
      answered++;
    });
    await search(pool, other, 0);
    assert.ok(answered < MANY / 2, `${answered} of ${MANY} came first`);
    await Promise.all(searches);
  });

  test("keep its own export waiting no longer than other merchants' exports do", async () => {
    const pool = watched();
    const order: string[] = [];
    const read = async (merchantId: string) => {
      for await (const _ of streamMatches(pool, merchantId, {})) order.push(merchantId);
      order.push(`${merchantId} ended`);
    };
    const long = read(busy);
    await read(other);
    assert.ok(order.filter((one) => one === busy).length <= 10, "a portion of one, a portion of the other");
    await long;
  });

  test("are refused when too many wait", async () => {
    const pool = watched();
    const answers = await Promise.allSettled(Array.from({ length: 150 }, (_, nth) => search(pool, busy, nth)));
    const refused = answers.filter((answer) => answer.status === "rejected");
    assert.ok(refused.length > 0 && refused.length < 60);
    for (const { reason } of refused) assert.ok(reason instanceof ShareUsedUp && reason.whose === "own");
    await search(pool, busy, 0);
  });

  test("ask for nothing more once nobody waits for them", async () => {
    let statements = 0;
    const pool = watched(() => statements++);
    const gone = new AbortController();
    const searches = Array.from({ length: MANY }, (_, nth) => search(pool, busy, nth, gone.signal));
    gone.abort(new Error("gone"));
    const answers = await Promise.allSettled(searches);
    assert.ok(answers.every((answer) => answer.status === "rejected"));
    assert.ok(statements <= 3, `${statements} statements`);
  });
});
