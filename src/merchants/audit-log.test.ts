import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { appendEntry, auditKeyOf } from "./audit-chain.ts";
import { type AuditFilter, auditLog } from "./audit-log.ts";

const KEY = auditKeyOf(Buffer.alloc(32, 1));
const at = (text: string) => new Date(`2031-05-01T12:00:${text}Z`);
const MERCHANTS = [v7(), v7()] as const;
const [SHOP, TOKEN] = [v7(), v7()];

/** Oldest first, from 1. Whom it concerns, who it was, what, of what, how it ended. */
const ENTRIES = [
  [at("00.999"), MERCHANTS[0], "operator Jane", "merchant.change", `merchant ${SHOP}`, "done"],
  [at("01.000"), MERCHANTS[0], "clerk Ann", "token.create", `token ${TOKEN}`, "done"],
  [at("01.999"), MERCHANTS[1], "merchant_admin Bob", "person.change", `person ${v7()}`, "done"],
  [at("02.000"), null, "operator JANET", "person.create", `person ${v7()}`, "refused"],
  [at("02.001"), MERCHANTS[1], "command line root", "token.revoke", `token ${TOKEN}`, "done"],
] as const;

describe("the audit log, as it is read", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    for (const [when, merchantId, actor, action, subject, outcome] of ENTRIES)
      await database.pool.begin((sql) =>
        appendEntry(sql, KEY, {
          ...{ at: when, actor, source: "192.0.2.7", action, subject, merchantId, outcome },
          ...{ before: null, after: null },
        }),
      );
  });
  after(() => database.drop());

  const FILTERS: readonly (readonly [what: string, AuditFilter, ids: readonly number[]])[] = [
    ["all of it", {}, [5, 4, 3, 2, 1]],
    ["so many", { limit: 2 }, [5, 4]],
    ["what is older than an entry", { before: "4", limit: 2 }, [3, 2]],
    ["what is older than the oldest", { before: "1" }, []],
    ["one merchant's", { merchantId: MERCHANTS[0] }, [2, 1]],
    ["another merchant's", { merchantId: MERCHANTS[1] }, [5, 3]],
    ["what is older, of a merchant", { merchantId: MERCHANTS[1], before: "5" }, [3]],
    ["one record's", { subject: TOKEN }, [5, 2]],
    ["one record's, of a merchant", { subject: TOKEN, merchantId: MERCHANTS[0] }, [2]],
    ["somebody's, in any case", { actor: "jane" }, [4, 1]],
    ["actions that begin alike", { action: "person." }, [4, 3]],
    ["what was refused", { outcome: "refused" }, [4]],
    ["what was done", { outcome: "done" }, [5, 3, 2, 1]],
    ["from an instant on", { from: at("01.000") }, [5, 4, 3, 2]],
    ["up to a second, and all of it", { to: at("01.000") }, [3, 2, 1]],
    ["one second", { from: at("02.000"), to: at("02.000") }, [5, 4]],
  ];
  for (const [what, filter, ids] of FILTERS)
    test(`is told newest first: ${what}`, async () => {
      const entries = await auditLog(database.pool, filter);
      assert.deepEqual(
        entries.map(({ id }) => Number(id)),
        ids,
      );
    });

  test("names no operator to a merchant, nor tells by a filter which it was", async () => {
    const told = async (filter: AuditFilter) =>
      (await auditLog(database.pool, filter, "merchant")).map(({ id, actor, source }) => `${id} ${actor} ${source}`);
    assert.deepEqual(await told({ merchantId: MERCHANTS[0] }), ["2 clerk Ann 192.0.2.7", "1 operator not shown"]);
    assert.deepEqual(await told({ merchantId: MERCHANTS[1] }), [
      "5 operator not shown",
      "3 merchant_admin Bob 192.0.2.7",
    ]);
    assert.deepEqual(await told({ merchantId: MERCHANTS[0], actor: "jane" }), []);
    assert.deepEqual(await told({ merchantId: MERCHANTS[1], actor: "root" }), []);
  });
});
