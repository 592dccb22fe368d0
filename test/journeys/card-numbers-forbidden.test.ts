// A merchant that forbids card numbers: whatever request has one is refused on that field, and leaves nothing behind.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { TSchema } from "typebox";
import type { Host } from "../../hosts/stripe/host.ts";
import { CardBody } from "../../src/api/schema/card.ts";
import { SaleBody } from "../../src/api/schema/charge.ts";
import { browser } from "../browser.ts";
import { testHost as stripeHost, stripeSettings } from "../conformance/stripe-subject.ts";
import { type Answer, type Request, startTestGateway, told } from "./gateway.ts";
import { SECRET_CARD, SECRET_CVV, stored } from "./harmless.fixture.ts";
import {
  CARD,
  expectStatus,
  type Gateway,
  type Json,
  leg,
  NOBODY,
  newMerchant,
  passenger,
  transactionOf,
} from "./merchant.fixture.ts";
import { tablesThatShow } from "./traces.fixture.ts";

/** Of fifteen digits. */
const AMEX = "378282246310005";
const FORMS = ["json", "form", "multipart"] as const;
const SALE = "/api/transactions/sale";

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

/** Dotted names of all fields that hold one value. */
function fieldsIn(schema: Described, path: readonly string[] = []): (readonly string[])[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, inner]) => fieldsIn(inner, [...path, name]));
  if (schema.items !== undefined) return fieldsIn(schema.items, [...path, "0"]);
  return [path];
}

function withValue(body: unknown, [name, ...path]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body)) return body.map((one, nth) => (String(nth) === name ? withValue(one, path, value) : one));
  const fields = (typeof body === "object" && body !== null ? body : {}) as Json;
  return { ...fields, [name]: withValue(fields[name], path, value) };
}

describe("a merchant that forbids card numbers", () => {
  let gateway: Gateway;
  let stripe: Host;
  let merchant: { readonly token: string; readonly merchantId: string; readonly processors: readonly string[] };
  before(async () => {
    [gateway, stripe] = await Promise.all([startTestGateway(), stripeHost()]);
    const settings = { ...stripeSettings(stripe.port), timeout_ms: 5_000 };
    merchant = await newMerchant(gateway, { kind: "stripe", settings }, {});
    await forbid(merchant.merchantId);
  });
  after(async () => {
    await gateway.close();
    await stripe.stop();
  });

  /** Tokens are known for a second. */
  async function forbid(merchantId: string): Promise<void> {
    const changed = await gateway.operator("PATCH", `/operator/merchants/${merchantId}`, { card_numbers: "forbidden" });
    assert.equal(expectStatus(changed, 200).body.merchant.card_numbers, "forbidden");
    await setTimeout(1_100);
  }

  const call = (method: string, path: string, request: Request = {}) =>
    gateway.call(method, path, { token: merchant.token, ...request });

  /** What is wanted of every refusal. */
  async function refused(ask: () => Promise<Answer>, expected: string): Promise<void> {
    const rows = await stored(gateway.pool);
    const answer = await ask();
    assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [expected, NAME], answer.text);
    assert.equal(answer.body.error.code, NAME);
    const all = JSON.stringify([...answer.headers]) + answer.text;
    for (const number of [SECRET_CARD, AMEX]) assert.ok(!all.includes(number), all);
    assert.deepEqual(await stored(gateway.pool), rows);
  }
  const NAME = "card-numbers-forbidden";

  const CHARGE = {
    ...{ amount: "100.00", merchant_transaction_id: "order", ip_address: "203.0.113.7", card_id: NOBODY },
    passenger_transport: [passenger({ legs: [leg()] })],
  };

  /** What the merchant's page does with Stripe's own fields, and its server with the customer. */
  async function tokenAtStripe(): Promise<Json> {
    const { secret_key } = stripeSettings(stripe.port);
    const post = async (path: string, fields: Readonly<Record<string, string>>) => {
      const headers = { authorization: `Bearer ${secret_key}`, "stripe-version": "2025-01-01" };
      const sent = { method: "POST", headers, body: new URLSearchParams(fields) };
      return (await (await fetch(`http://127.0.0.1:${stripe.port}${path}`, sent)).json()) as { readonly id: string };
    };
    const card = { "card[number]": "4242424242424242", "card[exp_month]": "11", "card[exp_year]": "2041" };
    const { id } = await post("/v1/payment_methods", { type: "card", ...card });
    await post(`/v1/payment_methods/${id}/attach`, { customer: "cus_jane" });
    return { processor_id: merchant.processors[0], processor_token: id };
  }

  test("every field of a sale and of a card refuses one, in JSON and in forms", async () => {
    const bodies = [
      [SALE, SaleBody, CHARGE],
      ["/api/transactions/auth", SaleBody, CHARGE],
      ["/api/cards", CardBody, { processor_id: NOBODY, processor_token: "pm_1" }],
    ] as const;
    for (const [path, schema, body] of bodies) {
      const fields = fieldsIn(schema as TSchema as Described);
      assert.ok(fields.length > 15, "too few fields were found");
      for (const field of fields)
        for (const how of FORMS) {
          const json = withValue(body, field, field[0] === "card_cvv" ? SECRET_CVV : SECRET_CARD);
          await refused(() => call("POST", path, { [how]: json }), `422 ${field.join(".")}`);
        }
    }
  });

  test("whatever is in card_number or card_cvv is refused; sent empty, they were not sent", async () => {
    for (const over of [{ card_number: "x" }, { card_number: 1 }, { card_number: ["4"] }, { card_number: { a: "4" } }])
      await refused(() => call("POST", SALE, { json: { ...CHARGE, ...over } }), "422 card_number");
    for (const over of [{ card_cvv: 713 }, { card_cvv: "x" }])
      await refused(() => call("POST", SALE, { json: { ...CHARGE, ...over } }), "422 card_cvv");
    await refused(
      () => call("POST", SALE, { json: { ...CHARGE, card_id: null, ...CARD, card_cvv: SECRET_CVV } }),
      "422 card_cvv card_number",
    );
    const empty = await call("POST", SALE, { json: { ...CHARGE, card_number: "", card_cvv: null } });
    assert.equal(told(empty), "422 card_id", "there is no such card");
    assert.equal(empty.headers.get("faregate-refusal"), "stored-card-unknown");
  });

  test("a number is found as a text, as a number, as a name, run together, and in fields that nobody knows", async () => {
    const rows: readonly (readonly [Json, string])[] = [
      [{ cardNumber: SECRET_CARD }, "cardNumber"],
      [{ card: { number: Number(AMEX) } }, "card.number"],
      [{ payment: [{ source: { pan: SECRET_CARD.replace(/(....)(?=.)/g, "$1 ") } }] }, "payment.0.source.pan"],
      [{ [SECRET_CARD]: "x" }, "•••"],
      [{ first_name: `${SECRET_CARD}1229${SECRET_CVV}` }, "first_name"],
      [{ meta: { order_id: SECRET_CARD } }, "meta.order_id"],
      [{ meta: JSON.stringify({ note: SECRET_CARD }) }, "meta"],
      [{ merchant_transaction_id: `order ${AMEX}` }, "merchant_transaction_id"],
      [{ cvc: SECRET_CVV }, "cvc"],
      [{ card: { security_code: 713 } }, "card.security_code"],
      [{ threeds_xid: SECRET_CARD }, "threeds_xid"],
    ];
    for (const [over, field] of rows)
      await refused(() => call("POST", SALE, { json: { ...CHARGE, ...over } }), `422 ${field}`);
  });

  test("every other request refuses one: its path, its query, its key, and the bodies of all that changes something", async () => {
    const key = { headers: { "idempotency-key": `order-${SECRET_CARD}` } };
    const rows: readonly (readonly [string, string, Request, string])[] = [
      ["POST", SALE, { json: CHARGE, ...key }, "base"],
      ["POST", "/api/cards", { json: { processor_id: NOBODY, processor_token: "pm_1" }, ...key }, "base"],
      ["POST", `${SALE}?card_number=${SECRET_CARD}&card_cvv=${SECRET_CVV}`, { json: {} }, "card_cvv card_number"],
      ["POST", `/api/transactions/${SECRET_CARD}/capture`, { json: {} }, "base"],
      ["GET", `/api/transactions/${SECRET_CARD}`, {}, "base"],
      ["GET", `/api/transactions?search[card_number]=${SECRET_CARD}`, {}, "search.card_number"],
      ["GET", `/api/transactions?search[merchant_transaction_id]=${AMEX}`, {}, "search.merchant_transaction_id"],
      ["GET", `/api/transactions?search[ticket_number]=${AMEX}`, {}, "search.ticket_number"],
      ["GET", `/api/cards?card=${AMEX}`, {}, "card"],
      ["PATCH", `/api/cards/${NOBODY}`, { json: { card_number: SECRET_CARD } }, "card_number"],
      ["PATCH", `/api/cards/${NOBODY}`, { json: { zip: SECRET_CARD } }, "zip"],
      ["DELETE", `/api/cards/${SECRET_CARD}`, {}, "base"],
      ...["capture", "void", "refund", "reversal"].map(
        (step) => ["POST", `/api/transactions/${NOBODY}/${step}`, { form: { amount: AMEX } }, "amount"] as const,
      ),
    ];
    for (const [method, path, request, fields] of rows)
      await refused(() => call(method, path, request), `422 ${fields}`);
  });

  test("no hash of such a request is stored: its key is free for the request without the number", async () => {
    const { id } = expectStatus(await call("POST", "/api/cards", { json: await tokenAtStripe() }), 201).body.card;
    const headers = { "idempotency-key": randomUUID() };
    await refused(
      () => call("POST", SALE, { json: { ...CHARGE, card_id: id, note: SECRET_CARD }, headers }),
      "422 note",
    );
    assert.equal(
      (await gateway.pool`select 1 from idempotency_keys where key = ${headers["idempotency-key"]}`).length,
      0,
    );
    const sold = await call("POST", SALE, { json: { ...CHARGE, card_id: id }, headers });
    const { card_id, events } = transactionOf(expectStatus(sold, 200));
    assert.deepEqual([card_id, events[0].success], [id, true]);
    assert.deepEqual(await tablesThatShow(gateway.pool, SECRET_CARD), []);
    assert.equal((await gateway.pool`select 1 from sealed_cards where merchant_id = ${merchant.merchantId}`).length, 0);
  });

  test("what only looks like one, and the parts of a number that everybody shows, are taken", async () => {
    const rows: readonly (readonly [string, string, Request, string])[] = [
      ["GET", "/api/transactions?search[card_number]=411111********", {}, "200"],
      ["GET", "/api/transactions?search[card_number]=411111********&search[last_four]=1111", {}, "200"],
      ["POST", SALE, { json: { ...CHARGE, document_number: "529.982.247-25" } }, "422 card_id"],
      ["POST", SALE, { json: { ...CHARGE, merchant_transaction_id: "4111111111111112" } }, "422 card_id"],
      ["POST", SALE, { json: { ...CHARGE, card_id: undefined } }, "422 card_id"],
      ["POST", "/api/cards", { json: { first_name: "Jane" } }, "422 processor_id processor_token"],
    ];
    for (const [method, path, request, expected] of rows) {
      const answer = await call(method, path, request);
      assert.equal(told(answer), expected, answer.text);
      assert.notEqual(answer.headers.get("faregate-refusal"), NAME);
    }
  });

  test("cannot become one while numbers of its cards are stored; a card whose number came in between is not charged", async () => {
    const other = await newMerchant(gateway, {});
    const path = `/operator/merchants/${other.merchantId}`;
    const asked = (method: string, at: string, json?: Json) => gateway.call(method, at, { token: other.token, json });
    const ids: string[] = [];
    for (let nth = 0; nth < 2; nth++) ids.push(expectStatus(await asked("POST", "/api/cards", CARD), 201).body.card.id);
    const tooEarly = await gateway.operator("PATCH", path, { card_numbers: "forbidden", name: "Other" });
    assert.equal(told(tooEarly), "422 card_numbers");
    assert.match(tooEarly.text, /the numbers of 2 cards on file are stored here/);
    const { name, card_numbers } = (await gateway.operator("GET", path)).body.merchant;
    assert.deepEqual([name, card_numbers], ["Own", "allowed"], "nothing was changed");
    await gateway.pool`update merchants set card_numbers = 'forbidden' where id = ${other.merchantId}`;
    // Its token is still known as it was.
    const late = await asked("POST", "/api/cards", CARD);
    assert.deepEqual([told(late), late.headers.get("faregate-refusal")], ["422 card_number", NAME]);
    await setTimeout(1_100);
    const charged = await asked("POST", SALE, { ...CHARGE, card_id: ids[0], passenger_transport: undefined });
    assert.deepEqual([told(charged), charged.headers.get("faregate-refusal")], ["422 card_id", NAME]);
    await gateway.operator("PATCH", path, { card_numbers: "allowed" });
    for (const id of ids) expectStatus(await asked("DELETE", `/api/cards/${id}`), 204);
    await forbid(other.merchantId);
    const log = await gateway.operator("GET", "/operator/audit-log");
    const [entry] = log.body.entries.filter((one: { action: string }) => one.action === "merchant.change");
    assert.deepEqual([entry.before.card_numbers, entry.after.card_numbers], ["allowed", "forbidden"]);
  });

  test("is one for its people who sign in, too, and says nothing of other merchants", async () => {
    const { merchant_id, people } = gateway.sandbox;
    const path = `/operator/merchants/${merchant_id}`;
    for (const wrong of ["yes", true, "FORBIDDEN"])
      assert.equal(told(await gateway.operator("PATCH", path, { card_numbers: wrong })), "422 card_numbers");
    assert.equal(told(await gateway.post(SALE, { ...CHARGE, card_id: undefined, ...CARD })), "200");
    await forbid(merchant_id);
    const clerk = browser(gateway);
    assert.equal((await clerk.signIn(people.clerk)).status, 201);
    const operator = browser(gateway);
    assert.equal((await operator.signIn(people.operator)).status, 201);
    await refused(() => clerk.call("POST", SALE, { ...CHARGE, card_id: undefined, ...CARD }), "422 card_number");
    const list = `/api/transactions?search[merchant_transaction_id]=${AMEX}`;
    await refused(() => operator.get(list, { "faregate-merchant": merchant_id }), "422 search.merchant_transaction_id");
  });
});
