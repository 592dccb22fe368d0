import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import { auditLog } from "./audit-log.ts";
import type { Author, Backoffice } from "./backoffice.ts";
import { changeMerchant, createMerchant, findMerchant, listMerchants } from "./merchants.ts";
import { createUser, findUser, listUsers } from "./users.ts";

const AUTHOR = { actor: "operator Jane", source: "192.0.2.7" };
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

describe("merchants and their users", () => {
  let database: FreshDatabase;
  let office: Backoffice;
  before(async () => {
    database = await freshDatabase();
    office = {
      sql: database.pool,
      clock: fixedClock("2026-02-16T16:33:40.123Z"),
      mode: "sandbox",
      kinds: new Map(),
      auditKey: async () => Buffer.alloc(32),
    };
  });
  after(() => database.drop());

  async function merchant(name = "Northwind") {
    const created = await createMerchant(office, AUTHOR, { name });
    assert(created.kind === "done");
    return created.value;
  }

  test("a merchant is created with its counter and a line in the audit log, all by the clock", async () => {
    const created = await merchant();
    assert.deepEqual(created, {
      id: created.id,
      name: "Northwind",
      refuse_card_like_identifiers: false,
      require_ip_address: true,
      card_numbers: "allowed",
      return_hosts: [],
      verify_cards: false,
      created_at: "2026-02-16T16:33:40+00:00",
    });
    assert.match(created.id, /^019c674c-eb1b-7/); // version 7: the milliseconds of the clock
    const counters = await office.sql`select * from merchant_counters where merchant_id = ${created.id}`;
    assert.deepEqual(
      [...counters],
      [{ merchant_id: created.id, transactions: "0", newest_at: new Date("2026-02-16T16:33:40.123Z") }],
    );
    const [entry, ...more] = await auditLog(office.sql, { subject: created.id });
    assert.deepEqual(
      { ...entry, id: "" },
      {
        id: "",
        at: "2026-02-16T16:33:40+00:00",
        actor: "operator Jane",
        source: "192.0.2.7",
        action: "merchant.create",
        subject: `merchant ${created.id}`,
        outcome: "done",
        before: null,
        after: created,
      },
    );
    assert.deepEqual(more, []);
  });

  test("a merchant gets another name, and the audit log keeps the old one", async () => {
    const created = await merchant();
    const renamed = { ...created, name: "Southwind" };
    assert.deepEqual(await changeMerchant(office, AUTHOR, created.id, { name: "Southwind" }), {
      kind: "done",
      value: renamed,
    });
    assert.deepEqual(await findMerchant(office.sql, created.id), renamed);
    const [entry] = await auditLog(office.sql, { subject: created.id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["merchant.change", created, renamed]);
  });

  test("what a change does not name stays as it is", async () => {
    const created = await createMerchant(office, AUTHOR, { name: "Northwind", refuse_card_like_identifiers: true });
    assert(created.kind === "done" && created.value.refuse_card_like_identifiers);
    const { id } = created.value;
    const renamed = { ...created.value, name: "Southwind" };
    assert.deepEqual(await changeMerchant(office, AUTHOR, id, { name: "Southwind" }), { kind: "done", value: renamed });
    const milder = { ...renamed, refuse_card_like_identifiers: false };
    assert.deepEqual(await changeMerchant(office, AUTHOR, id, { refuse_card_like_identifiers: false }), {
      kind: "done",
      value: milder,
    });
    assert.deepEqual(await findMerchant(office.sql, id), milder);
    const [entry] = await auditLog(office.sql, { subject: id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["merchant.change", renamed, milder]);
  });

  test("the same name again changes nothing, and nothing is noted", async () => {
    const created = await merchant();
    assert.deepEqual(await changeMerchant(office, AUTHOR, created.id, { name: created.name }), {
      kind: "done",
      value: created,
    });
    assert.equal((await auditLog(office.sql, { subject: created.id })).length, 1);
  });

  test("wrong input leaves nothing behind", async () => {
    const count = async () => (await office.sql`select count(*) from audit_log`)[0]?.count;
    const before = await count();
    const problems = { name: ["is required"] };
    const created = await merchant();
    assert.deepEqual(await createMerchant(office, AUTHOR, {}), { kind: "invalid", problems });
    assert.deepEqual(await changeMerchant(office, AUTHOR, created.id, {}), { kind: "invalid", problems });
    assert.deepEqual(await changeMerchant(office, AUTHOR, created.id, { refuse_card_like_identifiers: "yes" }), {
      kind: "invalid",
      problems: { refuse_card_like_identifiers: ["must be true or false"] },
    });
    assert.equal(Number(await count()), Number(before) + 1);
  });

  test("what does not exist, or has no uuid, is unknown", async () => {
    for (const id of [NOBODY, "7", ""]) {
      const unknown = { kind: "unknown", what: "merchant", id };
      assert.deepEqual(await changeMerchant(office, AUTHOR, id, { name: "x" }), unknown);
      assert.deepEqual(await createUser(office, AUTHOR, id, { name: "x", email: "x@example.com" }), unknown);
      assert.equal(await findMerchant(office.sql, id), undefined);
      assert.equal(await listUsers(office.sql, id), undefined);
    }
  });

  test("merchants are listed oldest first, in parts", async () => {
    const all = await listMerchants(office.sql);
    assert(all.length > 2);
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map(({ id }) => id).sort(),
    );
    assert.deepEqual(await listMerchants(office.sql, { limit: 2 }), all.slice(0, 2));
    assert.deepEqual(await listMerchants(office.sql, { after: all[1]?.id ?? "" }), all.slice(2));
  });

  test("a merchant's own people make two hundred users, whatever others have, operators any number", async () => {
    const { id } = await merchant();
    const create = (author: Author, of = id) =>
      createUser(office, author, of, { name: "Jane Doe", email: "jane@example.com" });
    const admin = { ...AUTHOR, merchantId: id };
    for (let nth = 0; nth < 200; nth++) assert.equal((await create(admin)).kind, "done");
    const why = "A merchant has 200 users, its people among them: ask an operator for more.";
    assert.deepEqual(await create(admin), { kind: "invalid", problems: { base: [why] } });
    assert.equal((await create(AUTHOR)).kind, "done");
    const other = await merchant();
    assert.equal((await create({ ...AUTHOR, merchantId: other.id }, other.id)).kind, "done");
  });

  test("a user belongs to one merchant and is not found under another", async () => {
    const [mine, other] = [await merchant(), await merchant()];
    const created = await createUser(office, AUTHOR, mine.id, { name: "Jane Doe", email: "jane@example.com" });
    assert(created.kind === "done");
    const user = created.value;
    assert.deepEqual(user, {
      id: user.id,
      merchant_id: mine.id,
      name: "Jane Doe",
      email: "jane@example.com",
      created_at: "2026-02-16T16:33:40+00:00",
    });
    assert.deepEqual(await listUsers(office.sql, mine.id), [user]);
    assert.deepEqual(await findUser(office.sql, mine.id, user.id), user);
    assert.deepEqual(await listUsers(office.sql, other.id), []);
    assert.equal(await findUser(office.sql, other.id, user.id), undefined);
    const [entry] = await auditLog(office.sql, { subject: user.id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["user.create", null, user]);
  });
});

describe("the audit log", () => {
  test("a change whose line cannot be written does not happen", async () => {
    const { pool, drop } = await freshDatabase();
    try {
      const office: Backoffice = {
        sql: pool,
        clock: fixedClock("2026-02-16T16:33:40Z"),
        mode: "sandbox",
        kinds: new Map(),
        auditKey: async () => Buffer.alloc(32),
      };
      await pool`alter table audit_log add check (actor <> 'operator Eve')`;
      await assert.rejects(
        createMerchant(office, { actor: "operator Eve", source: "::1" }, { name: "x" }),
        /check constraint/,
      );
      assert.deepEqual(await listMerchants(pool), []);
      assert.deepEqual([...(await pool`select * from merchant_counters`)], []);
    } finally {
      await drop();
    }
  });
});
