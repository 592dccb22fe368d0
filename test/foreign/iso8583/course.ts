// A course of payments at a host that others' code answers for: sales, authorizations and all that follows them, with lost messages and
// answers, doubled and unlisted ones. In the end the books of both sides are compared.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { testSettings, type Writing } from "../../conformance/iso8583-subject.ts";
import { startTestGateway } from "../../journeys/gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale, transactionOf } from "../../journeys/merchant.fixture.ts";
import type { ForeignHost } from "./hosts.ts";

/** Cents that make a host do something beside its books: docs in moov/host.go and jpos/Host.java. */
const PLAIN = 0;
const LOST = [11, 12, 13, 14];
const DECLINED = [21, 22, 23, 24];
const UNDECIDED = [25, 26];
const TIMEOUT_MS = 700;
const LONGEST_MS = 150_000;

interface Event {
  readonly id: string;
  readonly event_type: string;
  readonly success: boolean;
  readonly status: string;
  readonly amount: string;
  readonly processor_code: string | null;
}

/** @returns how many transactions were compared, and by how the operations ended: how many */
export async function compareBooks(host: ForeignHost, writing: Writing) {
  const gateway = await startTestGateway();
  try {
    const settings = { ...testSettings(host.port, writing), result_letters: "brand", timeout_ms: TIMEOUT_MS };
    const processor_id = await merchantOf(gateway).processor({ kind: "iso8583", settings });
    const ids = await payments(gateway, processor_id);
    await untilEnded(gateway, processor_id);
    return await compared(gateway, host, ids);
  } finally {
    await gateway.close();
  }
}

async function payments(gateway: Gateway, processor_id: string): Promise<readonly string[]> {
  const amountOf = (whole: number, cents: number) => `${whole}.${String(cents).padStart(2, "0")}`;
  const ids: string[] = [];
  const charge = async (type: "sale" | "auth", amount: string) => {
    const body = sale({ processor_id, amount, merchant_transaction_id: uuidv7() });
    const { id, events } = transactionOf(expectStatus(await gateway.post(`/api/transactions/${type}`, body), 200));
    ids.push(id);
    return { id, success: events[0].success as boolean };
  };
  const follow = (id: string, type: string, amount: string) =>
    gateway.post(`/api/transactions/${id}/${type}`, { amount });
  for (const cents of [PLAIN, ...LOST, ...DECLINED, ...UNDECIDED])
    for (const type of ["sale", "auth"] as const) await charge(type, amountOf(20, cents));
  for (const cents of [PLAIN, ...LOST, ...DECLINED, ...UNDECIDED]) {
    const { id: sold } = await charge("sale", "100.00");
    await follow(sold, "refund", amountOf(7, cents));
    await follow(sold, "refund", "3.00");
    const { id: voided } = await charge("sale", "100.00");
    await follow(voided, "void", amountOf(9, cents));
    const { id: held } = await charge("auth", "100.00");
    await follow(held, "capture", amountOf(40, cents));
    await follow(held, "capture", "10.00");
    await follow(held, "void", "5.00");
  }
  return ids;
}

/** All that can end by itself has ended; what is left to an operator is entered as the host's books have it, which is: not done. */
async function untilEnded(gateway: Gateway, processor_id: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const { body } = await gateway.operator("GET", `/operator/unresolved?processor_id=${processor_id}`);
    if (body.meta.total === 0) return;
    for (const { event_id, remedy } of body.unresolved) {
      if (remedy !== "operator") continue;
      const outcome = { outcome: "declined", evidence: "the host's books have none" };
      await gateway.operator("POST", `/operator/unresolved/${event_id}/resolution`, outcome);
    }
    assert.ok(performance.now() < until, `not resolved: ${JSON.stringify(body.unresolved)}`);
    await pause(250);
  }
}

async function compared(gateway: Gateway, host: ForeignHost, ids: readonly string[]) {
  const books = new Map((await host.books()).map((booked) => [booked.transaction, booked]));
  const ended: Record<string, number> = {};
  for (const id of ids) {
    const { events } = transactionOf(expectStatus(await gateway.get(`/api/transactions/${id}`), 200)) as {
      readonly events: readonly Event[];
    };
    for (const { event_type, status, success } of events) {
      const how = `${event_type} ${success ? "approved" : status}`;
      ended[how] = (ended[how] ?? 0) + 1;
    }
    const sum = (...types: readonly string[]) =>
      events
        .filter(({ event_type, success }) => success && types.includes(event_type))
        .reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0);
    const { held = 0, captured = 0, refunded = 0 } = books.get(id) ?? {};
    const [there, here] = [
      { left: held + captured, refunded },
      { left: sum("sale", "auth") - sum("void", "refund"), refunded: sum("refund") },
    ];
    assert.deepEqual(there, here, JSON.stringify(events));
  }
  const strangers = [...books.keys()].filter((transaction) => !ids.includes(transaction));
  assert.deepEqual(strangers, []);
  return { transactions: ids.length, ended };
}
