// The types that openapi-typescript makes, around plain fetch, through a merchant's day.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { components, operations } from "../client/openapi";

const { FAREGATE_URL: base, FAREGATE_TOKEN: token } = process.env as Record<string, string>;

type Shape = components["schemas"];
type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await answer.json()) as Body;
}

const ORDER = `order-${randomUUID()}`;
const CARD = {
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2039",
  ip_address: "203.0.113.7",
  merchant_transaction_id: ORDER,
} as const;
const charge = (kind: "sale" | "auth", fields: Shape["Sale"]) =>
  send<Answer<"createSale">>("POST", `/api/transactions/${kind}`, fields);
const follow = (id: string, operation: "capture" | "refund", fields: Shape["FollowUp"]) =>
  send<Answer<"captureTransaction">>("POST", `/api/transactions/${id}/${operation}`, fields);

const { transaction: sale } = await charge("sale", { ...CARD, amount: "3.56", meta: { cart: 17 } });
assert.equal(sale.checkout_url, null);
assert.deepEqual([sale.events[0]?.success, sale.events[0]?.amount], [true, "3.56"]);

const { transaction: auth } = await charge("auth", { ...CARD, amount: "10.00" });
const captured = await follow(auth.id, "capture", { amount: "4.00" });
assert.ok("transaction" in captured);
const refunded = await follow(auth.id, "refund", { amount: "1.50" });
assert.ok("transaction" in refunded);
assert.equal((refunded.transaction as Shape["Transaction"]).actions.refund.amount, "2.50");

const page = await send<Answer<"listTransactions">>(
  "GET",
  `/api/transactions?search[merchant_transaction_id]=${ORDER}`,
);
assert.deepEqual([page.meta.total, page.transactions.length], [2, 2]);

const wrong = await send<Shape["ApiError"]>("POST", "/api/transactions/sale", { ...CARD, amount: "0.00" });
assert.deepEqual([wrong.error.status, wrong.error.message.amount?.length], [422, 1]);
const nothing = await send<Shape["ApiError"]>("GET", `/api/transactions/${randomUUID()}`);
assert.equal(nothing.error.status, 404);
