import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 } from "uuid";
import { freshDatabase } from "../../test/database.ts";
import { listPeople } from "./people.ts";

test("a merchant's people are in its own list, and operators and other merchants' people are not", async (t) => {
  const { pool, drop } = await freshDatabase();
  t.after(drop);
  const [own, other] = [v7(), v7()];
  const at = new Date("2031-05-01T12:00:00Z");
  for (const id of [own, other]) await pool`insert into merchants ${pool({ id, name: "Northwind", created_at: at })}`;
  const person = async (merchant_id: string | null, role: string): Promise<string> => {
    const [id, email] = [v7(), `${v7()}@example.com`];
    const row = { id, merchant_id, role, name: "Jane Doe", email, account: email, password_hash: "none" };
    await pool`insert into people ${pool({ ...row, must_change_password: true, locked: false, created_at: at })}`;
    return id;
  };
  const [ours, theirs, operator] = [
    await person(own, "clerk"),
    await person(other, "merchant_admin"),
    await person(null, "operator"),
  ];
  const listed = async (merchantId?: string) => (await listPeople(pool, {}, merchantId))?.map(({ id }) => id).sort();
  assert.deepEqual([await listed(own), await listed(other)], [[ours], [theirs]]);
  assert.deepEqual(await listed(), [ours, theirs, operator].sort());
});
