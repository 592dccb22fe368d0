// What merchants are told of is in the outbox as soon as the event is on record, and never without it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, claim, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import type { Event, Transaction } from "../payment/transaction.ts";

const NOON = at("1 12:00");
const SETTLEMENT = { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") };

describe("what merchants are told of", () => {
  let installation: PostgresInstallation;
  let node: PostgresNode;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    node = await installation.join();
  });
  after(() => installation.end());

  /** A merchant, and an endpoint for each list of types; null is all. */
  async function merchant(...wanted: (readonly string[] | null)[]) {
    const id = uuidv7();
    await installation.addMerchant(id);
    const endpoints = [];
    for (const event_types of wanted) endpoints.push(await endpoint(id, { event_types }));
    return { id, endpoints };
  }
  async function endpoint(merchantId: string, given: object = {}) {
    const [id, now] = [uuidv7(), NOON];
    const row = { merchant_id: merchantId, id, url: "https://shop.example.com/", event_types: null, enabled: true };
    const { pool } = installation;
    await pool`insert into webhook_endpoints ${pool({ ...row, secret: Buffer.alloc(1), created_at: now, updated_at: now, ...given })}`;
    return id;
  }
  async function opened(merchantId: string): Promise<Transaction> {
    const transaction = intent(merchantId, NOON);
    await node.journal.open(transaction, null);
    return transaction;
  }
  async function appended(transaction: Transaction, type: "capture" | "void" | "refund"): Promise<Event> {
    const event = followUp(transaction, type, { createdAt: NOON });
    await node.journal.append(transaction.merchantId, transaction.id, event, null);
    return event;
  }
  /** `endpoint type sequence due` of what waits for a merchant, in the order of time. */
  async function waiting({ id, endpoints }: { readonly id: string; readonly endpoints: readonly string[] }) {
    const rows = await installation.pool<
      { endpoint_id: string; type: string; sequence: number; due_at: Date; id: string }[]
    >`select * from webhook_deliveries where merchant_id = ${id} order by due_at, type, endpoint_id`;
    for (const row of rows) assert.match(row.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/, "version 7");
    return rows.map(
      (row) =>
        `${endpoints.indexOf(row.endpoint_id)} ${row.type} ${row.sequence} ${row.due_at.toISOString().slice(8, 16)}`,
    );
  }

  test("an outcome is told to each endpoint that wants it, and to no other", async () => {
    const wanting = ["transaction.auth.succeeded", "transaction.sale.failed"];
    const one = await merchant(null, wanting, ["transaction.auth.failed"]);
    const transaction = await opened(one.id);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(NOON)));
    assert.deepEqual(await waiting(one), [
      "0 transaction.auth.succeeded 1 01T12:00",
      "1 transaction.auth.succeeded 1 01T12:00",
    ]);
  });

  for (const kind of ["declined", "already-settled", "unanswered", "not-sent"] as const)
    test(`an event that ended as ${kind} has failed`, async () => {
      const one = await merchant(null);
      await node.backlog.heartbeat(NOON);
      const transaction = await opened(one.id);
      await node.journal.conclude(conclusion(transaction, transaction.events[0], ended(kind, NOON)));
      assert.deepEqual(await waiting(one), ["0 transaction.auth.failed 1 01T12:00"]);
    });

  test("money that moved is told of once more when its settlement shows", async () => {
    const one = await merchant(null, ["transaction.settled"]);
    const transaction = await opened(one.id);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(NOON)));
    const capture = await appended(transaction, "capture");
    await node.journal.conclude(conclusion(transaction, capture, approved(NOON, SETTLEMENT)));
    assert.deepEqual(await waiting(one), [
      "0 transaction.auth.succeeded 1 01T12:00",
      "0 transaction.capture.succeeded 2 01T12:00",
      "0 transaction.settled 2 02T02:20",
      "1 transaction.settled 2 02T02:20",
    ]);
  });

  test("an event that was left open is pending, and its outcome resolves it", async () => {
    const one = await merchant(null);
    const transaction = await opened(one.id);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(NOON)));
    const capture = await appended(transaction, "capture");
    const place = { merchantId: one.id, transactionId: transaction.id, sequence: 2 };
    await node.journal.defer(place, "repeat", NOON, null);
    await node.journal.defer(place, "repeat", NOON, null);
    await node.journal.conclude(conclusion(transaction, capture, ended("declined", at("1 12:05"))));
    await node.journal.defer(place, "repeat", NOON, null);
    assert.deepEqual(await waiting(one), [
      "0 transaction.auth.succeeded 1 01T12:00",
      "0 transaction.capture.pending 2 01T12:00",
      "0 transaction.capture.resolved 2 01T12:05",
    ]);
  });

  test("what a dead node left open is pending until another resolves it", async () => {
    const one = await merchant(null);
    const dead = await installation.join();
    await dead.backlog.heartbeat(NOON);
    const transaction = intent(one.id, NOON);
    await dead.journal.open(transaction, null);
    await installation.declareDead(dead.id);
    assert.equal(await node.backlog.takeOverFromDeadNodes(NOON), 1);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], ended("unanswered", at("1 12:01"))));
    assert.deepEqual(await waiting(one), [
      "0 transaction.auth.pending 1 01T12:00",
      "0 transaction.auth.resolved 1 01T12:01",
    ]);
  });

  test("both steps of an operation are told of", async () => {
    const one = await merchant(null);
    const transaction = await opened(one.id);
    const next = followUp(transaction, "refund", { createdAt: NOON });
    const step = conclusion(transaction, transaction.events[0], ended("already-settled", NOON), { next });
    assert.equal(await node.journal.conclude(step), "concluded");
    await node.journal.conclude(conclusion(transaction, next, approved(NOON)));
    assert.deepEqual(await waiting(one), [
      "0 transaction.auth.failed 1 01T12:00",
      "0 transaction.refund.succeeded 2 01T12:00",
    ]);
  });

  test("of two outcomes of one event the one that stands is told, once", async () => {
    const one = await merchant(null);
    const transaction = await opened(one.id);
    const [event] = transaction.events;
    const outcomes = [ended("declined", NOON), approved(NOON), ended("declined", NOON)];
    const written = outcomes.map((outcome) => node.journal.conclude(conclusion(transaction, event, outcome)));
    assert.deepEqual((await Promise.all(written)).sort(), ["already-concluded", "already-concluded", "concluded"]);
    await node.journal.conclude(conclusion(transaction, event, approved(NOON)));
    assert.deepEqual(await waiting(one), ["0 transaction.auth.failed 1 01T12:00"]);
  });

  test("nobody is told of another merchant's events, and an endpoint that is disabled of none", async () => {
    const one = await merchant(null);
    const other = await merchant(null);
    await installation.pool`update webhook_endpoints set enabled = false where merchant_id = ${other.id}`;
    const nobody = await merchant();
    for (const { id } of [one, other, nobody]) {
      const transaction = await opened(id);
      await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(NOON)));
    }
    assert.deepEqual(await waiting(one), ["0 transaction.auth.succeeded 1 01T12:00"]);
    assert.deepEqual(await waiting(other), []);
    assert.deepEqual(await waiting(nobody), []);
  });

  test("an endpoint is told of the first outcome after it came, whoever asked for nothing until then", async () => {
    const one = await merchant();
    for (let times = 0; times < 3; times++) {
      const before = await opened(one.id);
      await node.journal.conclude(conclusion(before, before.events[0], approved(NOON)));
    }
    assert.deepEqual(await waiting(one), []);
    const endpoints = [await endpoint(one.id)];
    const transaction = await opened(one.id);
    const [event] = transaction.events;
    const keyedResponse = { key: "told", status: 200, body: "{}" };
    assert.equal(
      await node.journal.conclude(conclusion(transaction, event, approved(NOON), { keyedResponse })),
      "concluded",
    );
    assert.deepEqual(await waiting({ id: one.id, endpoints }), ["0 transaction.auth.succeeded 1 01T12:00"]);
    const found = await node.journal.find(one.id, transaction.id);
    assert.equal(found?.events[0].outcome?.kind, "approved");
    const [kept] = await installation.pool`select body from idempotency_answers where merchant_id = ${one.id}`;
    assert.equal(kept?.body, "{}");
  });

  test("of a group of several merchants those who want it are told, and the others' outcomes stand as well", async () => {
    const [quiet, listening] = [await merchant(), await merchant(null)];
    const transactions = await Promise.all([quiet, listening, quiet].map(({ id }) => opened(id)));
    const written = transactions.map((each) => node.journal.conclude(conclusion(each, each.events[0], approved(NOON))));
    assert.deepEqual(await Promise.all(written), ["concluded", "concluded", "concluded"]);
    assert.deepEqual(await waiting(listening), ["0 transaction.auth.succeeded 1 01T12:00"]);
    assert.deepEqual(await waiting(quiet), []);
  });

  test("whoever was told of outcomes and removed the endpoint gets them written on", async () => {
    const one = await merchant(null);
    const conclude = async () => {
      const transaction = await opened(one.id);
      return node.journal.conclude(conclusion(transaction, transaction.events[0], approved(NOON)));
    };
    assert.equal(await conclude(), "concluded");
    await installation.pool`delete from webhook_endpoints where merchant_id = ${one.id}`;
    assert.equal(await conclude(), "concluded");
    assert.equal((await waiting(one)).length, 1);
  });

  test("an intent alone is not told of", async () => {
    const one = await merchant(null);
    const transaction = intent(one.id, NOON);
    await node.journal.open(transaction, claim("key"));
    await appended(transaction, "capture");
    assert.deepEqual(await waiting(one), []);
  });

  test("of a group of outcomes each is told", async () => {
    const one = await merchant(null, null);
    const transactions = await Promise.all(Array.from({ length: 200 }, () => opened(one.id)));
    await Promise.all(
      transactions.map((each) => node.journal.conclude(conclusion(each, each.events[0], approved(NOON)))),
    );
    assert.equal((await waiting(one)).length, 400);
  });
});
