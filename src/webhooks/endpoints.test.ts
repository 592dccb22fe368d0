import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { handClock } from "../../test/hand-clock.ts";
import { auditLog } from "../merchants/audit-log.ts";
import { createMerchant } from "../merchants/merchants.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  findWebhook,
  listWebhooks,
  rotateSecret,
  type SealingOffice,
} from "./endpoints.ts";
import { sealing } from "./secrets.ts";

const AUTHOR = { actor: "operator Jane", source: "192.0.2.7" };
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const URL = "https://shop.example.com/hook";

describe("webhook endpoints", () => {
  let database: FreshDatabase;
  let office: SealingOffice;
  before(async () => {
    database = await freshDatabase();
    const clock = handClock(new Date("2026-02-16T16:33:40Z"));
    const auditKey = async () => Buffer.alloc(32);
    office = { sql: database.pool, clock, mode: "live", kinds: new Map(), auditKey, sealing: sealing(randomBytes(32)) };
  });
  after(() => database.drop());

  async function merchant() {
    const created = await createMerchant(office, AUTHOR, { name: "Northwind" });
    assert(created.kind === "done");
    return created.value.id;
  }
  async function webhook(merchantId: string, input: object = {}) {
    const created = await createWebhook(office, AUTHOR, merchantId, { url: URL, ...input });
    assert(created.kind === "done");
    return created.value;
  }
  const problems = (result: { readonly kind: string; readonly problems?: object }) =>
    result.kind === "invalid" ? Object.keys(result.problems ?? {}).sort() : result.kind;

  test("one is created enabled and for everything, and its secret is shown this once", async () => {
    const merchantId = await merchant();
    const { secret, ...created } = await webhook(merchantId);
    assert.deepEqual(created, {
      id: created.id,
      merchant_id: merchantId,
      url: URL,
      event_types: null,
      enabled: true,
      disabled_reason: null,
      previous_secret_until: null,
      created_at: "2026-02-16T16:33:40+00:00",
      updated_at: "2026-02-16T16:33:40+00:00",
    });
    assert.equal(Buffer.from(secret.replace("whsec_", ""), "base64").length, 32);
    assert.deepEqual(await findWebhook(office.sql, created.id), created);
    assert.deepEqual(await listWebhooks(office.sql, merchantId), [created]);
  });

  test("neither the table nor the audit log holds the secret as it is", async () => {
    const { secret, id } = await webhook(await merchant());
    await rotateSecret(office, AUTHOR, id);
    const bytes = Buffer.from(secret.replace("whsec_", ""), "base64");
    const [row] = await office.sql<[{ secret: Buffer; previous_secret: Buffer }]>`
      select secret, previous_secret from webhook_endpoints where id = ${id}`;
    assert.ok(!row.secret.includes(bytes) && !row.previous_secret.includes(bytes));
    assert.deepEqual(office.sealing.open(row.previous_secret, id), bytes);
    assert.doesNotMatch(JSON.stringify(await auditLog(office.sql, { subject: id })), /whsec_|secret"/);
  });

  test("a sealed secret opens for its endpoint and under its installation's secret only", () => {
    const sealed = office.sealing.seal(randomBytes(32), NOBODY);
    assert.throws(() => office.sealing.open(sealed, NOBODY.replace("7", "8")));
    assert.throws(() => sealing(randomBytes(32)).open(sealed, NOBODY));
  });

  test("all wrong fields are named at once", async () => {
    const merchantId = await merchant();
    const create = async (input: object) => problems(await createWebhook(office, AUTHOR, merchantId, input));
    assert.deepEqual(await create({}), ["url"]);
    assert.deepEqual(await create({ url: 1, enabled: "perhaps", event_types: ["transaction.sale"] }), [
      "enabled",
      "event_types.0",
      "url",
    ]);
    for (const url of ["http://shop.example.com/", "https://127.0.0.1/", "https://shop.example.com:22/"])
      assert.deepEqual(await create({ url }), ["url"], url);
    assert.deepEqual(await create({ url: URL, event_types: [] }), ["event_types"]);
    const twice = ["transaction.settled", "transaction.settled"];
    assert.deepEqual(await create({ url: URL, event_types: twice }), ["event_types"]);
  });

  test("a change touches what it names, is judged like a creation, and is in the audit log", async () => {
    const { id, secret: _, ...created } = await webhook(await merchant());
    assert.deepEqual(problems(await changeWebhook(office, AUTHOR, id, { url: "https://10.0.0.1/" })), ["url"]);
    const changed = await changeWebhook(office, AUTHOR, id, { enabled: false, event_types: ["transaction.settled"] });
    const after = { id, ...created, enabled: false, event_types: ["transaction.settled"] };
    assert.deepEqual(changed, { kind: "done", value: after });
    const all = await changeWebhook(office, AUTHOR, id, { event_types: null });
    assert.deepEqual(all, { kind: "done", value: { ...after, event_types: null } });
    const [newest, before] = await auditLog(office.sql, { subject: id });
    assert.deepEqual([before?.action, before?.before, before?.after], ["webhook.change", { id, ...created }, after]);
    await changeWebhook(office, AUTHOR, id, { enabled: false });
    assert.equal((await auditLog(office.sql, { subject: id }))[0]?.id, newest?.id, "nothing changed, nothing noted");
  });

  test("enabling it takes away why the gateway disabled it", async () => {
    const { id } = await webhook(await merchant());
    await office.sql`update webhook_endpoints set enabled = false, disabled_reason = 'gone' where id = ${id}`;
    const enabled = await changeWebhook(office, AUTHOR, id, { enabled: true });
    assert(enabled.kind === "done");
    assert.deepEqual([enabled.value.enabled, enabled.value.disabled_reason], [true, null]);
  });

  test("a merchant has sixteen at most", async () => {
    const merchantId = await merchant();
    for (let n = 0; n < 16; n++) await webhook(merchantId);
    assert.deepEqual(problems(await createWebhook(office, AUTHOR, merchantId, { url: URL })), ["base"]);
    await webhook(await merchant());
    const [one] = (await listWebhooks(office.sql, merchantId)) ?? [];
    assert.ok(one);
    await deleteWebhook(office, AUTHOR, one.id);
    assert.deepEqual(
      [(await listWebhooks(office.sql, merchantId))?.length, (await webhook(merchantId)).enabled],
      [15, true],
    );
  });

  test("the gateway disables one once, with a note, and not one that somebody disabled before", async () => {
    const { id } = await webhook(await merchant());
    assert.equal(await disableWebhook(office, id, "gone"), true);
    const noted = await auditLog(office.sql, { subject: id });
    assert.deepEqual([noted[0]?.actor, noted[0]?.action], ["gateway", "webhook.change"]);
    assert.equal(await disableWebhook(office, id, "failed"), false);
    assert.equal((await findWebhook(office.sql, id))?.disabled_reason, "gone");
    assert.equal((await auditLog(office.sql, { subject: id })).length, noted.length);
  });

  test("what is not there is unknown: a merchant, an endpoint, one that was deleted", async () => {
    const { id } = await webhook(await merchant());
    assert.equal((await deleteWebhook(office, AUTHOR, id)).kind, "done");
    for (const gone of [id, NOBODY, "nonsense"]) {
      assert.equal(await findWebhook(office.sql, gone), undefined);
      assert.equal((await deleteWebhook(office, AUTHOR, gone)).kind, "unknown");
      assert.equal((await rotateSecret(office, AUTHOR, gone)).kind, "unknown");
      assert.equal((await changeWebhook(office, AUTHOR, gone, { enabled: true })).kind, "unknown");
      assert.equal((await createWebhook(office, AUTHOR, gone, { url: URL })).kind, "unknown");
      assert.equal(await listWebhooks(office.sql, gone), undefined);
    }
  });
});
