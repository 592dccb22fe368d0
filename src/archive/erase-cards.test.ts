// Which stored cards are erased: those of whoever has every field that is named, of one merchant, with the responses that show them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { v7 } from "uuid";
import { intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { officeOn } from "../../test/fixtures/archiving.ts";
import { registerNode } from "../journal/nodes.ts";
import { findPlan, insertPlan } from "../journal/plan-rows.ts";
import { openJournal } from "../journal/postgres-journal.ts";
import { claimKeyOfRecord, insertResponseOfRecord } from "../journal/record-keys.ts";
import { findStoredCard, insertStoredCard } from "../journal/stored-cards.ts";
import { amountOf } from "../payment/money.ts";
import type { Plan } from "../payment/plan.ts";
import type { Cardholder, StoredCard } from "../payment/stored-card.ts";
import { eraseCards, findCardsOfPayer } from "./erase-cards.ts";

const AT = new Date("2031-01-01T12:00:00Z");
const AUTHOR = { actor: "test", source: "test" };
const JANE = { first_name: "Jane", last_name: "Featherstone", email: "jane@example.com", mobile_phone: "15145550123" };

let database: FreshDatabase;
before(async () => {
  database = await freshDatabase();
});
after(() => database.drop());

async function keep(merchantId: string, cardholder: Cardholder): Promise<string> {
  const card: StoredCard = {
    ...{
      merchantId,
      id: v7(),
      userId: v7(),
      createdAt: AT,
      fingerprint: "f",
      keptBy: null,
      networkTransactionId: null,
      consent: null,
      cardholder,
    },
    card: { mask: "411111******1111", firstSix: "411111", brand: "visa", expiryMonth: "12", expiryYear: "2039" },
  };
  await insertStoredCard(database.pool, card, { keyId: 1, sealed: Buffer.alloc(40) });
  await claimKeyOfRecord(database.pool, card, { key: card.id, requestHash: Buffer.alloc(32) });
  await insertResponseOfRecord(database.pool, card, { key: card.id, status: 201, body: JSON.stringify(cardholder) });
  return card.id;
}

test("a card that names nobody goes with the payer whose transaction charged it", async () => {
  const { address, pool } = database;
  const journal = openJournal({
    ...{ address, pool, clock: { now: () => AT }, distributed: ON_CITUS },
    node: await registerNode(pool, AT),
  });
  try {
    const merchantId = v7();
    await pool`insert into merchant_counters values (${merchantId}, 0, ${AT})`;
    const [charged, stays] = [await keep(merchantId, {}), await keep(merchantId, {})];
    const charge = { ...intent(merchantId, AT), fields: JANE, onFile: { cardId: charged } };
    await journal.open(charge, null);
    await journal.open({ ...intent(merchantId, AT), onFile: { cardId: stays } }, null);
    const office = officeOn(pool, { now: () => AT });
    const erasing = { merchantId, payer: { email: JANE.email } };
    assert.deepEqual(
      (await findCardsOfPayer(office, erasing)).map(({ id }) => id),
      [charged],
    );
    assert.equal(await eraseCards(office, AUTHOR, erasing), 1);
    assert.ok(await findStoredCard(pool, merchantId, stays));
    assert.equal((await journal.find(merchantId, charge.id))?.onFile?.cardId, charged);
    await pool`delete from audit_log`;
    await pool`delete from cards`;
    await pool`delete from idempotency_answers`;
  } finally {
    await journal.close();
  }
});

test("a payer's cards go with their numbers and stored responses; whoever differs in one field, or is another merchant's, stays", async () => {
  const office = officeOn(database.pool, { now: () => AT });
  const [merchantId, other] = [v7(), v7()];
  const [first, second] = [
    await keep(merchantId, JANE),
    await keep(merchantId, { ...JANE, email: "JANE@example.com" }),
  ];
  const others = [
    await keep(merchantId, { ...JANE, first_name: "June" }),
    await keep(merchantId, { ...JANE, last_name: "Feather" }),
    await keep(merchantId, { ...JANE, email: "jane@example.org" }),
    await keep(merchantId, { ...JANE, mobile_phone: "15145550124" }),
    await keep(merchantId, {}),
  ];
  const elsewhere = await keep(other, JANE);
  const erasing = { merchantId, payer: JANE };
  const found = await findCardsOfPayer(office, erasing);
  assert.deepEqual(
    found.map(({ id, mask }) => [id, mask]),
    [first, second].map((id) => [id, "411111******1111"]),
  );
  assert.deepEqual([await eraseCards(office, AUTHOR, erasing), await eraseCards(office, AUTHOR, erasing)], [2, 0]);
  assert.deepEqual(await findCardsOfPayer(office, erasing), []);
  for (const id of others) assert.ok(await findStoredCard(database.pool, merchantId, id));
  assert.ok(await findStoredCard(database.pool, other, elsewhere));
  const answers = await database.pool<{ key: string }[]>`select key from idempotency_answers order by key`;
  assert.deepEqual(
    answers.map(({ key }) => key),
    [...others, elsewhere].sort(),
  );
  const [entry, ...more] = await database.pool<{ after: object }[]>`select after from audit_log`;
  assert.deepEqual([entry?.after, more], [{ cards: [first, second] }, []]);
});

test("plans of a payer's cards are canceled, and lose passengers, tax number and stored responses; others stay", async () => {
  const { pool } = database;
  const merchantId = v7();
  const [erased, stays] = [await keep(merchantId, JANE), await keep(merchantId, {})];
  const planOf = async (cardId: string): Promise<Plan> => {
    const passengers = [{ passenger_name: "FEATHERSTONE/JANE", legs: [], fares: amountOf(100n) }] as never;
    const payment = { ...PAYMENT, dueAt: AT, chargeAt: AT, amount: amountOf(100n) };
    const plan: Plan = {
      ...{ merchantId, id: v7(), userId: v7(), createdAt: AT, updatedAt: AT, cardId, merchantTransactionId: "o" },
      ...{ processorId: null, currency: "USD", total: amountOf(100n), fields: { document_number: "11144477735" } },
      ...{ passengers, canceledAt: null, payments: [payment] },
    };
    await insertPlan(pool, plan);
    await claimKeyOfRecord(pool, plan, { key: plan.id, requestHash: Buffer.alloc(32) });
    await insertResponseOfRecord(pool, plan, { key: plan.id, status: 201, body: "FEATHERSTONE/JANE" });
    return plan;
  };
  const [gone, other] = [await planOf(erased), await planOf(stays)];
  const office = officeOn(pool, { now: () => AT });
  assert.equal(await eraseCards(office, AUTHOR, { merchantId, payer: JANE }), 1);
  const left = await findPlan(pool, merchantId, gone.id);
  assert.deepEqual([left?.passengers, left?.fields, left?.payments[0]?.status], [null, {}, "canceled"]);
  const whole = await findPlan(pool, merchantId, other.id);
  assert.deepEqual([whole?.fields, whole?.payments[0]?.status], [other.fields, "scheduled"]);
  const answers = await pool<
    { key: string }[]
  >`select key from idempotency_answers where key in (${gone.id}, ${other.id})`;
  assert.deepEqual(
    answers.map(({ key }) => key),
    [other.id],
  );
});

const PAYMENT = {
  ...{ number: 1, isRest: false, status: "scheduled" as const, attempts: 0, declines: 0, declinesBefore: 0 },
  ...{ triedAt: null, transactionId: null, reason: null },
} as const;
