// What a merchant sees of transactions that the operator archived, and that nothing is left of a payer who was erased.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ChargeBody } from "../../src/api/schema/charge.ts";
import { archive } from "../../src/archive/archive.ts";
import { type Erasing, erase, findPayer } from "../../src/archive/erase.ts";
import { restore } from "../../src/archive/restore.ts";
import { Concealed } from "../../src/settings.ts";
import { streamLedger } from "../../src/settlement/ledger.ts";
import { officeOn, SECRET } from "../fixtures/archiving.ts";
import { startTestGateway } from "./gateway.ts";
import { type Gateway, type Json, sale } from "./merchant.fixture.ts";

const DAY_MS = 86_400_000;
const AUTHOR = { actor: "test", source: "test" };
const PAYER = {
  first_name: "Wilhelmina",
  last_name: "Featherstone",
  email: "Wilhelmina@example.com",
  mobile_phone: "15145550123",
  street_address_1: "17 Larkspur Lane",
  street_address_2: "behind Larkspur House",
  city: "Chicoutimi",
  state: "QC",
  country: "CA",
  zip: "Larkspur 1",
  return_url: "http://127.0.0.1/basket/Larkspur",
  shipping_street_address_1: "18 Larkspur Lane",
  shipping_street_address_2: "before Larkspur House",
  shipping_city: "Chicoutimi-Nord",
  shipping_state: "QC",
  shipping_country: "CA",
  shipping_zip: "Larkspur 2",
  document_number: "Featherstone 1",
  ip_address: "203.0.113.77",
  meta: { note: "for Featherstone" },
};
/** All else that a charge can carry. Of passengers the names go, which src/archive/erase.test.ts looks at. */
const STAYS = [
  ...["processor_id", "transaction_type", "merchant_transaction_id", "amount", "currency", "passenger_transport"],
  ...[
    "card_id",
    "consent",
    "initiator",
    "reason",
    "network_transaction_id",
    "store_card",
    "card_number",
    "card_expiry_month",
    "card_expiry_year",
    "card_cvv",
    "dynamic_descripton",
    "dynamic_descriptor",
  ],
  ...["threeds_enabled", "threeds_xid", "threeds_eci", "threeds_cavv", "threeds_status", "threeds_version"],
];
const TRACES = /Wilhelmina|Featherstone|Larkspur|Chicoutimi|15145550123|203\.0\.113\.77/i;

describe("keeping and forgetting", () => {
  let gateway: Gateway;
  let merchantId: string;
  const folder = mkdtempSync(join(tmpdir(), "faregate-keeping-"));
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(SECRET) });
    const { body } = await charge({});
    merchantId = body.transaction.merchant_id;
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const office = () => officeOn(gateway.pool, { now: () => new Date() });
  const charge = (fields: Json, key?: string) =>
    gateway.post("/api/transactions/sale", sale(fields), key ? { headers: { "idempotency-key": key } } : {});
  const archiveAll = () => archive(office(), AUTHOR, { merchantId, folder, before: new Date(Date.now() + 5 * DAY_MS) });
  const restoreAll = () => restore(office(), AUTHOR, { merchantId, folder, from: new Date(0) });
  const total = async (query = "") => (await gateway.get(`/api/transactions${query}`)).body.meta.total;

  test("a ledger breaks off where transactions are archived while it is read, and is not short without a word", async () => {
    const period = { from: new Date(Date.now() - DAY_MS), before: null };
    let read = 0;
    const reading = async () => {
      for await (const records of streamLedger(gateway.pool, merchantId, period, new Date())) {
        if (read === 0) await archiveAll();
        read += records.length;
      }
    };
    await assert.rejects(reading, /archived while it was read/);
    assert.ok(read > 0);
    await restoreAll();
    await gateway.pool`delete from archives`;
  });

  test("an archived transaction is told to be archived, on look-ups, follow-ups, and in the ledger; restored, it is as before", async () => {
    const path = `/api/transactions/${(await charge({})).body.transaction.id}`;
    const shown = (await gateway.get(path)).body;
    const all = await total();
    assert.equal((await archiveAll()).transactions, all);
    for (const answer of [
      await gateway.get(path),
      await gateway.post(`${path}/refund`),
      await gateway.post(`${path}/reversal`),
    ])
      assert.deepEqual([answer.status, answer.headers.get("faregate-refusal")], [404, "transaction-archived"]);
    assert.equal(await total(), 0);
    const day = shown.transaction.created_at.slice(0, 10); // today, unless midnight has passed
    const ledger = await gateway.get(`/api/ledger?from=${day}&to=2099-01-01`);
    assert.equal(ledger.status, 422);
    assert.match(ledger.text, /transactions up to then are archived/);
    const { id: next } = (await charge({})).body.transaction;
    assert.deepEqual([await total(), (await gateway.get(`/api/transactions/${next}`)).status], [1, 200]);
    await restoreAll();
    assert.deepEqual([await total(), (await gateway.get(path)).body], [all + 1, shown]);
    assert.equal((await gateway.get(`/api/ledger?from=${day}&to=2099-01-01`)).status, 200);
    assert.equal((await gateway.post(`${path}/reversal`)).status, 200);
  });

  test("of each field of a charge it is known whether it is the payer's", () =>
    assert.deepEqual([...Object.keys(PAYER), ...STAYS].sort(), Object.keys(ChargeBody.properties).sort()));

  test("of an erased payer nothing is left: not in rows, lists, kept responses, nor in the archive; the money is", async () => {
    const key = crypto.randomUUID();
    const first = (await charge(PAYER, key)).body.transaction;
    const erasing: Erasing = { merchantId, folder, keepMeta: false, payer: { email: "wilhelmina@EXAMPLE.com" } };
    // As if the block were full.
    const prepareLists = () => gateway.pool`
      insert into block_words values (${merchantId}, 'last_name', 0, '{0,1}', '{Featherstone}', '{true}', '')`;
    await prepareLists();
    assert.match(await everyRow(), TRACES);
    const search = "?search[last_name]=Feather";
    assert.equal(await total(search), 1);
    assert.deepEqual(
      (await findPayer(office(), erasing)).map(({ id, archived }) => [id, archived]),
      [[first.id, false]],
    );
    assert.equal(await erase(office(), AUTHOR, erasing), 1);
    const { transaction } = (await gateway.get(`/api/transactions/${first.id}`)).body;
    assert.deepEqual(
      [transaction.card_number, transaction.events[0].amount, transaction.events[0].success],
      [first.card_number, first.events[0].amount, true],
    );
    const left = { ...transaction, ...transaction.events[0] };
    assert.deepEqual(
      Object.keys(PAYER).filter((name) => name in left),
      [],
    );
    const again = await charge(PAYER, key);
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
    assert.doesNotMatch(again.text, TRACES);
    assert.equal(await total(search), 0);
    assert.doesNotMatch(await everyRow(), TRACES);

    const archived = (await charge(PAYER)).body.transaction.id;
    await prepareLists();
    await archiveAll();
    assert.match(everyFile(), TRACES);
    assert.deepEqual(
      (await findPayer(office(), erasing)).map(({ id, archived }) => [id, archived]),
      [[archived, true]],
    );
    assert.equal(await erase(office(), AUTHOR, erasing), 1);
    assert.doesNotMatch(everyFile() + (await everyRow()), TRACES);
    await restoreAll();
    const restored = await gateway.get(`/api/transactions/${archived}`);
    assert.equal(restored.status, 200);
    assert.doesNotMatch(restored.text + (await everyRow()), TRACES);
  });

  /** What every table of the database holds, as text. */
  async function everyRow(): Promise<string> {
    const { pool } = gateway;
    const tables = await pool<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = current_schema() and tablename <> 'card_testing'`;
    const texts = await Promise.all(
      tables.map(
        ({ name }) => pool<{ all: string | null }[]>`select string_agg(t::text, ' ') as all from ${pool(name)} t`,
      ),
    );
    return texts.map(([row]) => row?.all ?? "").join(" ");
  }

  const everyFile = (): string =>
    readdirSync(join(folder, merchantId))
      .map((name) => gunzipSync(readFileSync(join(folder, merchantId, name))).toString())
      .join("");
});
