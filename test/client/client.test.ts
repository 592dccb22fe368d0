// The client against a running gateway, and over a way to it that loses requests and responses.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { itemsOf, transactionsOf } from "../../packages/client/src/lists.ts";
import {
  ApiError,
  AuthenticationError,
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  type DisputeFilter,
  InvalidRequestError,
  ListChangedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type SaleFields,
  ServerError,
  UnavailableError,
} from "../../packages/client/src/package.ts";
import { blocksOf, isThere } from "../docs/shown.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import {
  expectStatus,
  type Gateway,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
} from "../journeys/merchant.fixture.ts";
import { type Fate, startUnreliableWay, type UnreliableWay } from "./unreliable-way.ts";

const PACKAGE = join(import.meta.dirname, "../../packages/client");
const COMPILER = join(PACKAGE, "../../node_modules/typescript/bin/tsc");

const SALE: SaleFields = {
  amount: "3.56",
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2039",
  merchant_transaction_id: "order",
  ip_address: "203.0.113.7",
};

describe("the client", () => {
  let gateway: Gateway;
  let way: UnreliableWay;
  let client: Client;
  /** Over the unreliable way. */
  const calling = (over: Partial<ClientOptions> = {}) =>
    createClient({ url: way.url, token: gateway.sandbox.api_token, ...over });
  const during = (...fates: Fate[]) => {
    way.fates = fates;
    way.seen = [];
    return calling();
  };
  const orders = async (order: string) => (await client.page(1, { merchant_transaction_id: order })).meta.total;

  before(async () => {
    gateway = await startTestGateway();
    way = await startUnreliableWay(gateway.url);
    client = createClient({ url: `${gateway.url}/`, token: gateway.sandbox.api_token });
  });
  after(async () => {
    await way.close();
    await gateway.close();
  });

  test("each call gives the transaction as it is after, with airline data too", async () => {
    const { id } = await client.auth({ ...SALE, amount: "10.00" });
    const newest = ({ events: [event] }: Awaited<ReturnType<Client["sale"]>>) => [event?.event_type, event?.amount];
    assert.deepEqual(newest(await client.capture(id, { amount: "6.00" })), ["capture", "6.00"]);
    assert.deepEqual(newest(await client.void(id, { amount: "4.00" })), ["void", "4.00"]);
    assert.deepEqual(newest(await client.refund(id, { amount: "1.00" })), ["refund", "1.00"]);
    assert.equal((await client.reversal(id)).id, id);
    assert.equal((await client.transaction(id)).id, id);
    const charged = await client.charge({ ...SALE, transaction_type: "auth" });
    assert.deepEqual(newest(charged), ["auth", "3.56"]);
    const flight = await client.sale({
      ...SALE,
      amount: "100.00",
      passenger_transport: [passenger() as NonNullable<SaleFields["passenger_transport"]>[number]],
    });
    assert.equal((await client.reversal(flight.id)).id, flight.id);
    assert.ok((await client.processors()).some(({ id: record }) => record === flight.processor_id));
  });

  test("a decline is a transaction, and no error", async () => {
    const { events } = await client.sale({ ...SALE, card_number: "4111111111111112" });
    assert.deepEqual([events[0]?.success, events[0]?.processor_code], [false, "14"]);
  });

  for (const fate of ["lose the request", "lose the response", "cut the response"] as const)
    test(`a sale is done once, under one key, when the connections ${fate}`, async () => {
      const order = fate.replaceAll(" ", "-");
      const sale = await during(fate).sale({ ...SALE, merchant_transaction_id: order });
      assert.equal(sale.events[0]?.success, true);
      assert.equal(await orders(order), 1);
      assert.match(way.seen[0] ?? "", /^[0-9a-f-]{36}$/);
      assert.deepEqual(way.seen, [way.seen[0], way.seen[0]]);
    });

  test("every write has a key of its own, or the one that it is given", async () => {
    const unreliable = during();
    const { id } = await unreliable.sale(SALE, { idempotencyKey: "order-7-first" });
    assert.equal((await unreliable.sale(SALE, { idempotencyKey: "order-7-first" })).id, id);
    assert.notEqual((await unreliable.sale(SALE)).id, (await unreliable.sale(SALE)).id);
    const refund = await unreliable.refund(id, { amount: "1.00" });
    assert.equal(refund.id, id);
    await unreliable.transaction(id);
    assert.deepEqual(way.seen.slice(0, 2), ["order-7-first", "order-7-first"]);
    assert.equal(new Set(way.seen.slice(2, 5)).size, 3);
    assert.ok(way.seen.slice(2, 5).every((key) => key !== undefined));
    assert.equal(way.seen[5], undefined);
  });

  for (const [what, fate] of [
    ["409 with Retry-After", { status: 409, headers: { "retry-after": "0" } }],
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "0" } }],
    ["503 with Retry-After", { status: 503, headers: { "retry-after": "0" } }],
    ["502 of a proxy", { status: 502, body: "<h1>Bad Gateway</h1>" }],
    ["504 of a proxy", { status: 504 }],
    ["200 that is not JSON", { status: 200, body: "<h1>Welcome</h1>" }],
  ] as const)
    test(`is tried again, under the same key: ${what}`, async () => {
      await during(fate).sale(SALE);
      assert.equal(way.seen.length, 2);
      assert.equal(way.seen[0], way.seen[1]);
    });

  for (const [what, fate, kind] of [
    ["503 without Retry-After", { status: 503 }, UnavailableError],
    [
      "503 that is the stored response",
      { status: 503, headers: { "retry-after": "0", "idempotent-replayed": "true" } },
      UnavailableError,
    ],
    ["429 with a longer pause than there is time", { status: 429, headers: { "retry-after": "600" } }, RateLimitError],
    ["500", { status: 500 }, ServerError],
    ["422", { status: 422 }, InvalidRequestError],
    ["a proxy's own 403", { status: 403, body: '{"error":{"message":"Forbidden"}}' }, PermissionError],
    ["a redirect, which is not followed", { status: 307, headers: { location: "/elsewhere" } }, InvalidRequestError],
  ] as const)
    test(`is not tried again: ${what}`, async () => {
      await assert.rejects(during(fate).sale(SALE), (error) => error instanceof kind && error.status === fate.status);
      assert.equal(way.seen.length, 1);
    });

  test("a gateway that cannot be reached, or says nothing, is an error with the key to go on with", async () => {
    const nowhere = createClient({ url: "http://127.0.0.1:9", token: "fg_test_x", retryForMs: 300 });
    await assert.rejects(nowhere.sale(SALE, { idempotencyKey: "k" }), (error) => {
      return error instanceof ConnectionError && error.idempotencyKey === "k" && error.cause !== undefined;
    });
    during("hang");
    const impatient = calling({ timeoutMs: 50, retryForMs: 0 });
    await assert.rejects(impatient.sale(SALE), /^ConnectionError: no response within 50 ms/);
    assert.equal(way.seen.length, 1);
    during({ status: 200, body: "<h1>Welcome</h1>" });
    await assert.rejects(calling({ retryForMs: 0 }).sale(SALE), /^ConnectionError: a response that is not JSON/);
  });

  test("an aborted signal ends a call at once, during a try and between two", async () => {
    for (const fate of ["hang", { status: 503, headers: { "retry-after": "20" } }] as const) {
      const abort = new AbortController();
      const call = during(fate).sale(SALE, { signal: abort.signal });
      setTimeout(() => abort.abort(new Error("the customer left")), 50);
      await assert.rejects(call, /the customer left/);
    }
  });

  test("an error is of the class of its status, and says what is wrong by field", async () => {
    const merchant = merchantOf(gateway);
    const as = (token: string) => createClient({ url: gateway.url, token });
    await assert.rejects(client.sale({ ...SALE, amount: "1,00", zip: "1" }), (error) => {
      assert.ok(error instanceof InvalidRequestError);
      assert.deepEqual(Object.keys(error.fields).sort(), ["amount", "zip"]);
      assert.equal(error.status, 422);
      assert.match(error.message, /^422: .*amount must be an amount/);
      return true;
    });
    const { id } = await client.sale(SALE);
    await assert.rejects(client.capture(id), (error) => {
      return (
        error instanceof ApiError &&
        error.refusal === "sale-is-captured" &&
        error.idempotencyKey !== undefined &&
        error.requestId !== undefined
      );
    });
    await assert.rejects(client.transaction(NOBODY), NotFoundError);
    await assert.rejects(as("fg_test_wrong").processors(), AuthenticationError);
    await assert.rejects(as(await merchant.token({ scopes: ["read"] })).sale(SALE), PermissionError);
  });

  test("what would mean something else is refused before it is sent", async () => {
    during();
    const unset = undefined as unknown as string;
    await assert.rejects(calling().refund("", { amount: "1.00" }), TypeError);
    await assert.rejects(calling().refund(unset), TypeError);
    await assert.rejects(calling().page(1, { merchant_transaction_id: unset }), TypeError);
    for (const over of [{ url: unset }, { url: "" }, { url: "pay.example.com" }, { token: unset }, { token: "" }])
      assert.throws(() => calling(over), TypeError, JSON.stringify(over));
    assert.deepEqual(way.seen, []);
  });

  test("what can never be sent is an error at once, and no lost connection", async () => {
    during();
    const meta = { n: 10n } as unknown as NonNullable<SaleFields["meta"]>;
    await assert.rejects(calling().sale({ ...SALE, meta }), /^TypeError: .*BigInt/);
    await assert.rejects(calling().sale(SALE, { idempotencyKey: "Schlüssel 鍵" }), TypeError);
    assert.deepEqual(way.seen, []);
  });

  test("a redirect says where to", async () => {
    const fate = { status: 301, headers: { location: "https://pay.example.com/" } };
    await assert.rejects(during(fate).processors(), /^InvalidRequestError: 301: .*https:\/\/pay\.example\.com\//);
  });

  test("a list that becomes shorter while it is read is an error, and no end", async () => {
    const totals = [120, 119];
    const pages = transactionsOf(
      async (_, page) => {
        const total = totals[page - 1] ?? 0;
        const transactions = Array.from({ length: 50 }, () => ({}) as Awaited<ReturnType<Client["sale"]>>);
        return { transactions, meta: { last_page: 3, current_page: page, total } };
      },
      {},
      {},
    );
    await assert.rejects(Array.fromAsync(pages), ListChangedError);
  });

  test("a list gives all pages, each transaction once, though more are added while it is read", async () => {
    const { token } = await newMerchant(gateway, {});
    const own = createClient({ url: gateway.url, token });
    const sell = async (count: number) => {
      const sales = Array.from({ length: count }, () => own.sale({ ...SALE, merchant_transaction_id: "listed" }));
      return (await Promise.all(sales)).map(({ id }) => id);
    };
    const before = new Set(await sell(101));
    const listed: string[] = [];
    for await (const { id } of own.transactions({ merchant_transaction_id: "listed" })) {
      listed.push(id);
      if (listed.length === 1) await sell(60);
      if (listed.length === 70) await sell(3);
    }
    assert.equal(listed.length, 101);
    assert.deepEqual(new Set(listed), before);

    const sizes: number[] = [];
    for await (const { transactions, meta } of own.pages()) {
      assert.equal(meta.total, 164);
      sizes.push(transactions.length);
    }
    assert.deepEqual(sizes, [50, 50, 50, 14]);
    assert.deepEqual(await Array.fromAsync(own.transactions({ zip: "95030" })), []);
  });

  test("a card on file is stored once however often it is sent, listed, changed and deleted", async () => {
    const { token } = await newMerchant(gateway, {});
    const own = createClient({ url: gateway.url, token });
    const card_number = "4111111111111111";
    const fields = { card_number, card_expiry_month: "12", card_expiry_year: "2039", zip: "95030" } as const;
    const key = { idempotencyKey: crypto.randomUUID() };
    const card = await own.storeCard(fields, key);
    assert.deepEqual(await own.storeCard(fields, key), card);
    assert.deepEqual([await own.card(card.id), await Array.fromAsync(own.cards())], [card, [card]]);
    const changed = await own.changeCard(card.id, { card_expiry_year: "2041", zip: null });
    assert.deepEqual([changed.card_expiry_year, changed.zip], ["2041", undefined]);
    const { success, processor_code } = await own.verifyCard(card.id, { card_cvv: "123" });
    assert.deepEqual([success, processor_code], [true, "00"]);
    await own.deleteCard(card.id);
    await assert.rejects(own.card(card.id), NotFoundError);
    await assert.rejects(async () => own.deleteCard(""), TypeError);
  });

  test("a plan: made once, listed, moved, and canceled", async () => {
    const { token } = await newMerchant(gateway, {});
    const own = createClient({ url: gateway.url, token });
    const { id: card_id } = await own.storeCard({
      ...{ card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
    });
    const due = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const payments = [
      { due_at: due(10), amount: "100.00" },
      { due_at: due(20), rest: true },
    ];
    const fields = { card_id, merchant_transaction_id: "order", total: "500.00", payments };
    const key = { idempotencyKey: crypto.randomUUID() };
    const plan = await own.makePlan(fields, key);
    assert.deepEqual(await own.makePlan(fields, key), plan);
    assert.deepEqual([await own.plan(plan.id), await Array.fromAsync(own.plans({ card_id }))], [plan, [plan]]);
    const moved = await own.movePlan(plan.id, { payments: [{ number: 2, due_at: due(30) }] });
    assert.ok(Date.parse(moved.payments[1]?.due_at ?? "") > Date.parse(due(29)));
    assert.equal((await own.cancelPlan(plan.id)).status, "canceled");
    assert.equal((await own.cancelPlan(plan.id)).status, "canceled");
    await assert.rejects(own.plan(crypto.randomUUID()), NotFoundError);
  });

  test("the books: a period's movements, batches after their cut-off, what was disputed", async () => {
    const { token, merchantId } = await newMerchant(gateway, {});
    const own = createClient({ url: gateway.url, token });
    const { id } = await own.sale(SALE);
    const enter = { transaction_id: id, amount: "3.56", amount_withdrawn: "1.00", reason_code: "13.1" };
    expectStatus(await gateway.operator("POST", `/operator/merchants/${merchantId}/disputes`, enter), 201);

    const [dispute] = await Array.fromAsync(own.disputes({ transaction_id: id, status: "needs_response" }));
    assert.equal(dispute?.amount_withdrawn, "1.00");
    assert.deepEqual(await own.dispute(dispute.id), dispute);
    assert.deepEqual(await Array.fromAsync(own.disputes({ status: "ended" })), []);
    const movements = await own.ledger({ from: "2001-01-01", to: "2999-12-31" });
    assert.deepEqual(
      movements.map(({ movement, amount }) => [movement, amount]),
      [
        ["sale", "3.56"],
        ["chargeback", "-1.00"],
      ],
    );

    assert.deepEqual(await Array.fromAsync(own.batches()), []);
    const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: inTwoDays }), 200);
    const [batch] = await Array.fromAsync(own.batches({ processor_id: dispute.processor_id }));
    assert.ok(batch);
    assert.equal((await own.batch(batch.id)).net, "3.56");

    await assert.rejects(own.batch(dispute.id), NotFoundError);
    await assert.rejects(own.dispute(""), TypeError);
    await assert.rejects(own.ledger({ from: "", to: "2999-12-31" }), TypeError);
    const unset = { status: undefined } as unknown as DisputeFilter;
    await assert.rejects(Array.fromAsync(own.disputes(unset)), TypeError);
  });

  test("items of pages come once, though some are added before them or among them while they are read", async () => {
    const items = Array.from({ length: 5 }, (_, nth) => ({ id: `${nth}` }));
    const pages = itemsOf("batches", async (page) => {
      const last_page = Math.ceil(items.length / 2);
      const batches = items.slice((page - 1) * 2, page * 2);
      if (page === 1) items.splice(0, 0, { id: "newer" });
      if (page === 2) items.splice(4, 0, { id: "late" });
      return { batches, meta: { last_page, current_page: page, total: items.length } };
    });
    assert.deepEqual(
      (await Array.fromAsync(pages)).map(({ id }) => id),
      ["0", "1", "2", "late", "3", "4"],
    );
  });

  test("the package has 16 kB at most, needs nothing but the web's own, and runs the program of docs/client.md", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "faregate-client-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const installed = join(folder, "node_modules/@faregate/client");
    mkdirSync(installed, { recursive: true });
    copyFileSync(join(PACKAGE, "package.json"), join(installed, "package.json"));
    // Its own settings know the web's names and none of Node's.
    const { scripts } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    for (const step of scripts.build.split(" && ")) {
      const [tsc, ...options] = step.split(" ");
      assert.equal(tsc, "tsc");
      execFileSync(process.execPath, [COMPILER, ...options, "--outDir", join(installed, "dist")], { cwd: PACKAGE });
    }
    assert.match(readFileSync(join(installed, "dist/client.d.ts"), "utf8"), /It moves money: keep it out of browsers/);
    const code = globSync(join(installed, "dist/*.js")).map((file) => readFileSync(file, "utf8"));
    assert.ok(code.length > 5);
    assert.ok(Buffer.byteLength(code.join("")) <= 16_000, `${Buffer.byteLength(code.join(""))} bytes`);
    const imported = code
      .flatMap((text) => [...text.matchAll(/(?:from|import\() ?"([^"]+)"/g)])
      .map(([, from]) => from);
    assert.ok(imported.length > 5);
    for (const from of imported) assert.match(from ?? "", /^\.\/[a-z]+\.js$/);

    const [program, printed] = ["js", "text"].map(
      (language) => blocksOf("docs/client.md").find((block) => block.language === language)?.text ?? "",
    );
    const env = { ...process.env, FAREGATE_URL: gateway.url, FAREGATE_TOKEN: gateway.sandbox.api_token };
    // The machine's Node, which may be older than the gateway's, and what else it has.
    for (const [runtime, ...words] of [["node"], ["deno", "run", "--allow-net", "--allow-env"], ["bun"]] as const) {
      if (!isThere(runtime)) {
        t.diagnostic(`${runtime} is not on this machine`);
        continue;
      }
      // The program finds every order of its name.
      const ofItsOwn = (text = "") => text.replaceAll("order-1001", `order-of-${runtime}`);
      const file = join(folder, `${runtime}.mjs`);
      writeFileSync(file, ofItsOwn(program));
      const { stdout } = await promisify(execFile)(runtime, [...words, file], { env });
      // Deno and Bun print texts in double quotes.
      assert.equal(stdout.replaceAll('"', "'"), ofItsOwn(printed), runtime);
    }
  });
});
