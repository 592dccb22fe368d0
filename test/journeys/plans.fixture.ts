// Plans over HTTP: made, looked at, and charged as the sandbox's clock moves on.

import assert from "node:assert/strict";
import { until } from "../receiver.ts";
import type { Request } from "./gateway.ts";
import { CARD, type Callable, expectStatus, type Json } from "./merchant.fixture.ts";

export const DAY_MS = 86_400_000;

export function plansOf(gateway: Callable) {
  const now = async (): Promise<number> =>
    Date.parse(expectStatus(await gateway.operator("GET", "/operator/clock"), 200).body.now);
  const card = async (over: Json = {}, request: Request = {}): Promise<string> =>
    expectStatus(await gateway.post("/api/cards", { ...CARD, ...over }, request), 201).body.card.id;
  /** A deposit of 100.00 in a day and the balance of 400.00 in ten, unless told otherwise. */
  const body = async (over: Json = {}): Promise<Json> => {
    const at = await now();
    const due = (days: number) => new Date(at + days * DAY_MS).toISOString();
    const payments = [
      { due_at: due(1), amount: "100.00" },
      { due_at: due(10), rest: true },
    ];
    return {
      ...{ merchant_transaction_id: "order-77", total: "500.00", payments },
      ...(over.card_id === undefined && { card_id: await card() }),
      ...over,
    };
  };
  const find = async (id: string, request: Request = {}) =>
    expectStatus(await gateway.get(`/api/plans/${id}`, request), 200).body.plan;
  return {
    now,
    card,
    body,
    find,
    make: async (over: Json = {}, request: Request = {}) =>
      expectStatus(await gateway.post("/api/plans", await body(over), request), 201).body.plan,
    /** To an instant, in milliseconds. */
    moveTo: async (to: number) =>
      expectStatus(await gateway.operator("POST", "/operator/clock", { now: new Date(to).toISOString() }), 200),
    move: async (days: number) => {
      const to = new Date((await now()) + days * DAY_MS).toISOString();
      return expectStatus(await gateway.operator("POST", "/operator/clock", { now: to }), 200);
    },
    /** Its payments, in words, once none is being charged any more. */
    settled: async (id: string): Promise<string[]> => {
      await until(`plan ${id} is pending no more`, async () => !wordsOf(await find(id)).includes("pending"));
      return wordsOf(await find(id));
    },
    /** All sales of an order, oldest first. */
    salesOf: async (order: string, request: Request = {}) => {
      const list = expectStatus(
        await gateway.get(`/api/transactions?search[merchant_transaction_id]=${order}`, request),
        200,
      );
      return list.body.transactions.toReversed();
    },
  };
}

export const wordsOf = (plan: { readonly payments: readonly { readonly status: string }[] }): string[] =>
  plan.payments.map(({ status }) => status);

/** What each payment says of why it was not charged. */
// biome-ignore lint/suspicious/noExplicitAny: as the gateway answered
export const reasonsOf = (plan: any): (string | null)[] => plan.payments.map((one: any) => one.reason);

/** Each payment has one approved sale at most. */
export function assertOnce(sales: readonly Json[]): void {
  const approved = sales.filter(({ events }) => (events as readonly Json[])[0]?.success === true);
  const names = approved.map(({ plan_id, plan_payment }) => `${plan_id} ${plan_payment}`);
  assert.equal(new Set(names).size, names.length, `charged twice: ${names}`);
}
