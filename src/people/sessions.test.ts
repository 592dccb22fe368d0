// Sessions as they are found by their secrets: whose they are, what they may, and when they have ended.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { mintSecret } from "../merchants/token-secret.ts";
import { DEFAULT_CARD_TESTING } from "../payment/card-testing.ts";
import { newId } from "../uuid.ts";
import type { Role } from "./roles.ts";
import { beginSession, type Session, sessionsIn } from "./sessions.ts";

const AT = new Date("2031-05-01T12:00:00Z");

describe("a session", () => {
  let database: FreshDatabase;
  const [strict, lenient, plain] = [v7(), v7(), v7()];
  before(async () => {
    database = await freshDatabase();
    const { pool } = database;
    for (const [id, refuse_card_like_identifiers, require_ip_address, card_numbers] of [
      [strict, true, true, "forbidden"],
      [lenient, false, false, "allowed"],
      [plain, false, true, "allowed"],
    ] as const) {
      const settings = { refuse_card_like_identifiers, require_ip_address, card_numbers };
      const merchant = { id, name: "Northwind", created_at: AT, ...settings };
      await pool`insert into merchants ${pool(merchant)}`;
    }
    for (const [merchant_id, cards_per_range] of [
      [strict, 10],
      [lenient, 100],
    ] as const) {
      const watched = { enabled: true, window_minutes: 10, small_amount: "1000", without_declines: false };
      await pool`insert into card_testing_settings ${pool({ merchant_id, cards_per_range, ...watched })}`;
    }
  });
  beforeEach(() => database.pool`delete from sessions`);
  after(() => database.drop());

  async function newPerson(role: Role, merchant_id: string | null, more: object = {}): Promise<string> {
    const [id, email] = [v7(), `${v7()}@example.com`];
    const person = { id, merchant_id, role, name: "Jane Doe", email, account: email, password_hash: "none" };
    const { pool } = database;
    await pool`
      insert into people ${pool({ ...person, must_change_password: false, locked: false, created_at: AT, ...more })}`;
    return id;
  }
  const begin = (personId: string) => database.pool.begin((sql) => beginSession(sql, personId));
  const find = (secret: string, mode: "sandbox" | "live" = "sandbox") =>
    sessionsIn(database.pool, mode).find(secret, "192.0.2.1");
  const found = async (personId: string, mode?: "live"): Promise<Session> => {
    const session = await find(await begin(personId), mode);
    assert.ok(session);
    return session;
  };

  test("has the settings of its person's own merchant, and an operator's those of none", async () => {
    const settingsOf = async (merchantId: string | null) => {
      const session = await found(await newPerson(merchantId === null ? "operator" : "clerk", merchantId));
      const { strictIdentifiers, requireIpAddress, cardNumbersForbidden, cardTesting } = session;
      assert.equal(session.merchantId, merchantId);
      const cardsPerRange = cardTesting?.cardsPerRange;
      return { strictIdentifiers, requireIpAddress, cardNumbersForbidden, cardsPerRange };
    };
    assert.deepEqual(
      [await settingsOf(strict), await settingsOf(lenient), await settingsOf(plain), await settingsOf(null)],
      [
        { strictIdentifiers: true, requireIpAddress: true, cardNumbersForbidden: true, cardsPerRange: 10 },
        { strictIdentifiers: false, requireIpAddress: false, cardNumbersForbidden: false, cardsPerRange: 100 },
        { strictIdentifiers: false, requireIpAddress: true, cardNumbersForbidden: false, cardsPerRange: undefined },
        { strictIdentifiers: false, requireIpAddress: true, cardNumbersForbidden: false, cardsPerRange: undefined },
      ],
    );
    assert.notEqual(DEFAULT_CARD_TESTING.cardsPerRange, 10);
  });

  test("has its person's duty: a password of one's own first, then in live mode an operator's second factor", async () => {
    const secondFactor = { second_factor: Buffer.from("sealed") };
    const first = { must_change_password: true };
    for (const [role, more, mode, duty] of [
      ["operator", {}, undefined, null],
      ["operator", {}, "live", "set_up_second_factor"],
      ["operator_read", {}, "live", "set_up_second_factor"],
      ["operator", secondFactor, "live", null],
      ["operator", { ...secondFactor, ...first }, "live", "change_password"],
      ["operator_read", first, "live", "change_password"],
      ["merchant_admin", {}, "live", null],
      ["viewer", first, undefined, "change_password"],
    ] as const) {
      const merchantId = role.startsWith("operator") ? null : plain;
      const session = await found(await newPerson(role, merchantId, more), mode);
      assert.equal(session.duty, duty, `${role} ${JSON.stringify(more)} ${mode}`);
    }
  });

  test("of a locked person is not found, and one of a token's secret neither", async () => {
    const locked = await newPerson("clerk", plain, { locked: true });
    assert.equal(await find(await begin(locked)), undefined);
    const { secret, hash } = mintSecret("live");
    const { pool } = database;
    const personId = await newPerson("clerk", plain);
    await pool`insert into sessions (id, person_id, secret_hash) values (${newId(AT)}, ${personId}, ${hash})`;
    assert.equal(await find(secret), undefined);
  });

  test("is used when its person does something: that is noted to ten seconds, never later than it was, and ends nothing sooner", async () => {
    const { pool } = database;
    const secret = await begin(await newPerson("clerk", plain));
    for (const [unused, idle, noted] of [
      [600, undefined, false],
      [600, 0, true],
      [600, 30, true],
      [600, 590, true],
      [600, 599, false],
      [600, 600, false],
      [600, 100_000, false],
      [1, 0, false],
      [10, 0, true],
    ] as const) {
      await pool`update sessions set used_at = now() - ${unused}::int * interval '1 second'`;
      const [before] = await pool<{ used_at: string }[]>`select used_at::text from sessions`;
      assert.ok(await sessionsIn(pool, "sandbox").find(secret, "192.0.2.1", idle));
      const [row] = await pool`
        select used_at::text = ${before?.used_at ?? null} as same, used_at <= now() - ${idle ?? 0}::int * interval '1 second' as early from sessions`;
      assert.deepEqual([row?.same, row?.same || row?.early], [!noted, true], `${unused} ${idle}`);
    }
  });

  test("that has ended is removed when another begins, and one that goes on stays", async () => {
    const { pool } = database;
    const personId = await newPerson("clerk", plain);
    for (const change of [
      "used_at = now() - interval '15 minutes 1 second'",
      "created_at = now() - interval '12 hours 1 second'",
      "used_at = now() - interval '14 minutes', created_at = now() - interval '11 hours 59 minutes'",
    ]) {
      await begin(personId);
      await pool.unsafe(`update sessions set ${change} where used_at > now() - interval '1 minute'
        and created_at > now() - interval '1 minute'`);
    }
    await begin(personId);
    const [row] = await pool`select count(*)::int as left from sessions`;
    assert.equal(row?.left, 2);
  });
});
