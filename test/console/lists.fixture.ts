// A gateway with at least three records in every list of the console; and which records each list shows, by the API, in its order.

import assert from "node:assert/strict";
import { keptRun } from "../journeys/kept-run.fixture.ts";
import {
  CARD,
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  passenger,
  sale,
} from "../journeys/merchant.fixture.ts";
import type { Records } from "./walks.ts";

export interface List {
  readonly path: string;
  /** The accessible name of its table. */
  readonly table: string;
  /** Ids of the records, from the first row to the last. */
  readonly ids: () => Promise<readonly string[]>;
}

const DAY_MS = 86_400_000;

/** All that are in the lists: settled sales of several processors, disputes, comparisons, merchants, operators. */
export async function fillLists(gateway: Gateway): Promise<void> {
  const { merchant_id: merchantId, processors } = gateway.sandbox;
  const merchant = merchantOf(gateway);
  const created = async (path: string, json: Json) => expectStatus(await gateway.operator("POST", path, json), 201);
  for (const key of ["usd", "usd_backup", "cad"]) {
    const processorId = processors[key] ?? "";
    const charge = sale({ processor_id: processorId, merchant_transaction_id: `order ${key}`, store_card: true });
    const { id } = await merchant.charged("sale", charge);
    await created(`/operator/merchants/${merchantId}/disputes`, { transaction_id: id, amount: "1.00" });
    await keptRun(gateway.pool, { merchantId, processorId });
  }
  const { id: card_id } = expectStatus(await gateway.post("/api/cards", CARD), 201).body.card;
  const due = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const payments = [
    { due_at: due(300), amount: "1.00" },
    { due_at: due(600), rest: true },
  ];
  for (const total of ["3.00", "4.00", "5.00"])
    expectStatus(
      await gateway.post("/api/plans", { card_id, merchant_transaction_id: "order plan", total, payments }),
      201,
    );
  for (const name of ["Fabrikam", "Tailspin"]) await created("/operator/merchants", { name });
  await created("/operator/people", { role: "operator", name: "Ada Doe", email: "ada@example.com" });
  const { now } = (await gateway.operator("GET", "/operator/clock")).body;
  const tomorrow = new Date(Date.parse(now) + DAY_MS).toISOString().slice(0, 10);
  expectStatus(await gateway.operator("POST", "/operator/clock", { now: `${tomorrow}T23:00:00Z` }), 200);
}

/** One of each kind, beside what fills the lists; and enough entries for a second page of the audit log. */
export async function recordsOf(gateway: Gateway): Promise<Records> {
  const { merchant_id: merchantId, processors } = gateway.sandbox;
  const { processor, charged, follow } = merchantOf(gateway);
  const own = `/operator/merchants/${merchantId}`;
  const passengers = [passenger(), passenger({ passenger_name: "DOE/JOHN", ticket_number: "0141234567891" })];
  const authorized = await charged("auth", sale({ amount: "200.00", passenger_transport: passengers }));
  const silent = await processor({ name: "Silent", settings: { silent_operations: ["capture"], timeout_ms: 100 } });
  await follow((await charged("auth", sale({ processor_id: silent }))).id, "capture");
  for (let entry = 0; entry < 50; entry++)
    await gateway.operator("PATCH", own, { require_ip_address: entry % 2 === 0 });
  const rules = ["Small ones", "All others"].map((name) => ({ name, processors: [{ id: processors.usd }] }));
  expectStatus(await gateway.operator("PATCH", `${own}/routing`, { rules }), 200);
  const first = async (answer: ReturnType<Gateway["get"]>, name: string) =>
    (expectStatus(await answer, 200).body[name] as readonly { readonly id: string }[])[0]?.id ?? "";
  const { transactions } = (await gateway.get("/api/transactions")).body;
  const { unresolved } = (await gateway.operator("GET", "/operator/unresolved")).body;
  return {
    transaction: transactions.find((one: Json) => one.merchant_transaction_id === "order usd").id,
    authorized: authorized.id,
    card: transactions.find((one: Json) => one.merchant_transaction_id === "order usd").card_id,
    batch: await first(gateway.get("/api/batches"), "batches"),
    plan: await first(gateway.get("/api/plans"), "plans"),
    dispute: await first(gateway.get("/api/disputes"), "disputes"),
    reconciliation: await first(gateway.get("/api/reconciliations"), "reconciliations"),
    person: await first(gateway.operator("GET", `${own}/people`), "people"),
    processor: processors.usd ?? "",
    unresolved: unresolved[0].event_id,
  };
}

export function listsOf(gateway: Gateway): readonly List[] {
  const { merchant_id: merchantId } = gateway.sandbox;
  const idsAt = async (operator: boolean, path: string, name: string): Promise<{ id: string }[]> => {
    const { body } = expectStatus(await (operator ? gateway.operator("GET", path) : gateway.get(path)), 200);
    assert.ok(body[name].length > 0, path);
    return body[name];
  };
  const ids = async (...of: Parameters<typeof idsAt>) => (await idsAt(...of)).map(({ id }) => id);
  const operators = async () =>
    ((await idsAt(true, "/operator/people", "people")) as { id: string; merchant_id: string | null }[])
      .filter(({ merchant_id }) => merchant_id === null)
      .map(({ id }) => id);
  const own = `/operator/merchants/${merchantId}`;
  return [
    {
      path: "/transactions",
      table: "Transactions, newest first",
      ids: () => ids(false, "/api/transactions", "transactions"),
    },
    { path: "/cards", table: "Cards on file, newest first", ids: () => ids(false, "/api/cards", "cards") },
    { path: "/batches", table: "Settlement batches, newest first", ids: () => ids(false, "/api/batches", "batches") },
    { path: "/plans", table: "Plans, newest first", ids: () => ids(false, "/api/plans", "plans") },
    { path: "/disputes", table: "Disputes, newest first", ids: () => ids(false, "/api/disputes", "disputes") },
    {
      path: "/reconciliations",
      table: "Comparisons, newest first",
      ids: () => ids(false, "/api/reconciliations", "reconciliations"),
    },
    { path: "/processors", table: "Processors", ids: () => ids(true, `${own}/processors`, "processors") },
    { path: "/merchants", table: "Merchants", ids: () => ids(true, "/operator/merchants", "merchants") },
    { path: "/people", table: "The merchant's people", ids: () => ids(true, `${own}/people`, "people") },
    { path: "/people", table: "Operators", ids: operators },
  ];
}
