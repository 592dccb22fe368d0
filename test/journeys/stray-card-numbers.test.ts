// A card number where none belongs is refused on that field, told nowhere, and leaves nothing behind.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { TSchema } from "typebox";
import { FILTERS } from "../../src/api/parse-list.ts";
import { SaleBody } from "../../src/api/schema/charge.ts";
import { MAY_HOLD } from "../../src/validation/stray-card-numbers.ts";
import { type Answer, startTestGateway, told } from "./gateway.ts";
import { SECRET_CARD, SECRET_CVV, stored } from "./harmless.fixture.ts";
import {
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
  sale,
  THREE_D_SECURE,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";
/** Of another brand than the card that pays, fifteen digits. */
const AMEX = "378282246310005";
/** Fails Luhn: known only as the card of its own request. */
const MISTYPED = "4929939187355590";

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly type?: string;
  readonly maxLength?: number;
  readonly format?: string;
}

/** Dotted names of all fields that take a free text, and how long it may be. */
function textsIn(schema: Described, path: readonly string[] = []): [readonly string[], number][] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, inner]) => textsIn(inner, [...path, name]));
  if (schema.items !== undefined) return textsIn(schema.items, [...path, "0"]);
  const free = schema.type === "string" && ["text", "base64"].includes(schema.format ?? "");
  return free ? [[path, schema.maxLength ?? 0]] : [];
}

/** Any number belongs there but that of the card that pays. */
const IDENTIFIERS = ["merchant_transaction_id", "passenger_transport.0.ticket_number"];

describe("a card number where none belongs", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const whole = (over: Json = {}): Json =>
    sale({ amount: "100.00", passenger_transport: [passenger({ legs: [leg()] })], ...THREE_D_SECURE, ...over });

  async function refused(ask: () => Promise<Answer>, expected: string, numbers: readonly string[]): Promise<void> {
    const rows = await stored(gateway.pool);
    const answer = await ask();
    assert.equal(told(answer), expected, answer.text);
    const all = JSON.stringify([...answer.headers]) + answer.text;
    for (const number of numbers) assert.ok(!all.includes(number), all);
    assert.deepEqual(await stored(gateway.pool), rows);
  }

  test("every text field of a sale refuses one, in JSON and in forms", async () => {
    const fields = textsIn(SaleBody as TSchema as Described);
    assert.ok(fields.length >= 20, "too few fields were found");
    for (const [path, longest] of fields) {
      const name = path.join(".");
      for (const [number, card_number] of [
        [AMEX, SECRET_CARD],
        [MISTYPED, MISTYPED],
      ] as const) {
        // What is shorter than a card number is refused for its length, or fits none.
        if (longest < number.length) continue;
        if (IDENTIFIERS.includes(name) && number !== card_number) continue;
        const body = withValue(whole({ card_number }), path, number);
        for (const how of ["json", "form", "multipart"] as const) {
          // A ticket has thirteen digits at most.
          await refused(() => gateway.call("POST", SALE, { [how]: body }), `422 ${name}`, [number]);
        }
      }
    }
  });

  test("an identifier refuses the number of the card that pays, and takes another that looks like one", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ merchant_transaction_id: AMEX, card_number: SECRET_CARD }));
    const found = await gateway.get(`/api/transactions?search[merchant_transaction_id]=${AMEX}`);
    assert.ok(found.body.transactions.some((one: { id: string }) => one.id === id));
    for (const number of [SECRET_CARD, "4929 9391 8735 5598", `order-${SECRET_CARD}`, "4929.9391.8735.5598"]) {
      const body = sale({ card_number: SECRET_CARD, merchant_transaction_id: number });
      await refused(() => gateway.post(SALE, body), "422 merchant_transaction_id", [number]);
    }
  });

  test("a merchant that is stricter refuses in identifiers what looks like a card's number, from the next second on", async () => {
    const { token, merchantId } = await newMerchant(gateway, {});
    const merchant = `/operator/merchants/${merchantId}`;
    const sell = (over: Json, headers = {}) => gateway.post(SALE, sale(over), { token, headers });
    const number = "4111111111111111";
    assert.equal(told(await sell({ merchant_transaction_id: AMEX })), "200");
    const changed = await gateway.operator("PATCH", merchant, { refuse_card_like_identifiers: true });
    assert.equal(changed.body.merchant.refuse_card_like_identifiers, true);
    await setTimeout(1_100);
    await refused(() => sell({ merchant_transaction_id: AMEX }), "422 merchant_transaction_id", [AMEX]);
    await refused(() => sell({ card_number: SECRET_CARD }, { "idempotency-key": number }), "422 base", [number]);
    await refused(() => sell({ meta: { order_id: AMEX } }), "422 meta.order_id", [AMEX]);
    const filter = `/api/transactions?search[merchant_transaction_id]=${AMEX}`;
    assert.equal(told(await gateway.get(filter, { token })), "422 search.merchant_transaction_id");
    assert.equal(told(await gateway.get(filter)), "200", "another merchant's token");
    const log = await gateway.operator("GET", "/operator/audit-log");
    const [entry] = log.body.entries.filter((one: { action: string }) => one.action === "merchant.change");
    assert.deepEqual(
      [entry.before.refuse_card_like_identifiers, entry.after.refuse_card_like_identifiers],
      [false, true],
    );
  });

  test("one in a field that is too short for it is told of too, and the number is not", async () => {
    const answer = await gateway.post(SALE, whole({ mobile_phone: SECRET_CARD }));
    assert.deepEqual(answer.body.error.message, {
      mobile_phone: ["must be a text of 1 to 15 characters", "must not hold a card number"],
    });
  });

  test("meta refuses one at any depth, as a text, as a number and as a name, and a CVV", async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{ note: `paid with ${AMEX}` }, "422 meta.note"],
      [{ a: [{ b: AMEX }] }, "422 meta.a.0.b"],
      [{ a: Number(AMEX) }, "422 meta.a"],
      [{ [AMEX]: 1 }, "422 meta.•••"],
      [{ a: { [`card ${AMEX}`]: { b: AMEX } } }, "422 meta.a.••• meta.a.•••.b"],
      [{ note: "3782.822463.10005" }, "422 meta.note"],
      [{ note: "+378282246310005" }, "422 meta.note"],
      [{ note: "3782822463100051229" }, "422 meta.note"],
      [{ order_id: "3782 822463 10005" }, "422 meta.order_id"],
      [{ cvv: "123" }, "422 meta.cvv"],
      [{ verification_value: "123" }, "422 meta.verification_value"],
      [{ cvvCode: 123 }, "422 meta.cvvCode"],
      [{ CVC: "987 " }, "422 meta.CVC"],
      [{ card: { security_code: 1234 } }, "422 meta.card.security_code"],
    ];
    for (const [meta, expected] of cases)
      for (const request of [{ json: sale({ meta }) }, { form: sale({ meta: JSON.stringify(meta) }) }])
        await refused(() => gateway.call("POST", SALE, request), expected, [AMEX]);
    for (const meta of [
      { cvv_result: "123", cvv: "yes", cart: 17 },
      { score: 0.3782822463100051, iban: "DE89 3704 0044 0532 0130 00", order_id: AMEX, userId: AMEX },
    ])
      assert.equal(told(await gateway.post(SALE, sale({ meta }))), "200");
  });

  test("a field that nobody knows is ignored with its value, but a name that is a card number is refused", async () => {
    assert.equal(told(await gateway.post(SALE, sale({ pan: AMEX }))), "200");
    for (const path of [SALE, `/api/transactions/${NOBODY}/capture`, `/api/transactions/${NOBODY}/reversal`]) {
      // A reversal takes no amount.
      const { amount, ...others } = sale();
      const body = { ...others, ...(!path.endsWith("reversal") && { amount }), [`x${AMEX}`]: 1 };
      await refused(() => gateway.post(path, body), "422 •••", [AMEX]);
    }
  });

  test("of a body that is sent as another type nothing is told, neither in the answer nor in its headers", async () => {
    const sent = async (body: string) => {
      const answer = await fetch(gateway.url + SALE, {
        method: "POST",
        headers: {
          authorization: `Bearer ${gateway.sandbox.api_token}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body,
      });
      return `${answer.status} ${[...answer.headers]} ${await answer.text()}`;
    };
    for (const card_number of [AMEX, "41111"]) {
      const answer = await sent(JSON.stringify(sale({ card_number, card_cvv: "9713", ip_address: "203.0.113.7" })));
      assert.match(answer, /^415/);
      assert.doesNotMatch(answer, /9713|Jane|41111|3782/);
    }
  });

  test("ticket numbers, phone numbers and tax ids that look like a card's are taken", async () => {
    const over = { passenger_transport: [passenger({ ticket_number: "4222222222222" })] };
    const answer = await gateway.post(SALE, whole({ ...over, mobile_phone: "4915112340004" }));
    assert.equal(told(answer), "200", answer.text);
    assert.equal(
      told(await gateway.post(SALE, whole({ ...over, card_number: "4222222222222" }))),
      "422 passenger_transport.0.ticket_number",
    );
  });

  test("a list's filters, any other query and any path refuse one", async () => {
    for (const [name, { type }] of Object.entries(FILTERS)) {
      if (type === "date" || name === "user_id" || name === "merchant_transaction_id") continue;
      const path = `/api/transactions?${new URLSearchParams({ [`search[${name}]`]: AMEX })}`;
      await refused(() => gateway.get(path), `422 search.${name}`, [AMEX]);
    }
    for (const [method, path, expected] of [
      ["GET", `/api/transactions?search[${AMEX}]=1`, "422 search.•••"],
      ["GET", `/api/transactions?serach[${AMEX}]=1`, "422 serach.•••"],
      ["GET", `/api/transactions?order=${AMEX}`, "422 order"],
      ["GET", `/api/transactions?a=3782%20822463%2010005`, "422 a"],
      ["GET", `/api/processors?card=${AMEX}`, "422 card"],
      ["POST", `${SALE}?card_number=${AMEX}`, "422 card_number"],
      ["GET", `/api/transactions/${AMEX}`, "422 base"],
      ["GET", `/api/transactions/%33${AMEX.slice(1)}`, "422 base"],
      ["POST", `/api/transactions/${AMEX}/void`, "422 base"],
      ["GET", `/api/${AMEX}`, "404 base"],
    ] as const)
      await refused(() => gateway.call(method, path, method === "POST" ? { json: sale() } : {}), expected, [AMEX]);
  });

  test("an idempotency key is an identifier: it refuses the card of its own request", async () => {
    for (const key of [`order ${SECRET_CARD}`, SECRET_CARD, "4929-9391-8735-5598"]) {
      const headers = { "idempotency-key": key };
      await refused(() => gateway.post(SALE, sale({ card_number: SECRET_CARD }), { headers }), "422 base", [key]);
    }
    const headers = { "idempotency-key": `x-${MISTYPED}` };
    await refused(() => gateway.post(SALE, sale({ card_number: MISTYPED }), { headers }), "422 base", [MISTYPED]);
    const other = { headers: { "idempotency-key": AMEX } };
    assert.equal(told(await gateway.post(SALE, sale({ card_number: SECRET_CARD }), other)), "200");
  });

  test("what an operator names cannot be one; settings of processors may have such numbers", async () => {
    const merchant = `/operator/merchants/${gateway.sandbox.merchant_id}`;
    for (const [path, json, expected] of [
      ["/operator/merchants", { name: `Shop ${AMEX}` }, "422 name"],
      ["/operator/merchants", { name: "Shop", [AMEX]: 1 }, "422 •••"],
      [`${merchant}/users`, { name: AMEX, email: `x${AMEX}@example.com` }, "422 email name"],
      [`${merchant}/processors`, { name: AMEX, kind: "simulator", currency: "USD" }, "422 name"],
      [
        `${merchant}/processors`,
        { name: "x", kind: "simulator", currency: "USD", settings: { [AMEX]: 1 } },
        "422 settings.•••",
      ],
    ] as const)
      await refused(() => gateway.operator("POST", path, json), expected, [AMEX]);
    await refused(() => gateway.operator("GET", `/operator/merchants/${AMEX}`), "422 base", [AMEX]);
    await refused(() => gateway.operator("GET", `/operator/audit-log?subject=${AMEX}`), "422 subject", [AMEX]);
  });

  test("no answer has a CVV in it, in any field", async () => {
    const { charged, found } = merchantOf(gateway);
    const sent = await charged("sale", whole({ card_cvv: SECRET_CVV }));
    const search = await gateway.get("/api/transactions");
    for (const shown of [sent, await found(sent.id), search.body]) {
      assert.ok(!texts(shown).includes(SECRET_CVV));
      assert.ok(!JSON.stringify(shown).includes('"card_cvv"'));
    }
  });

  test("no table has the card number or the CVV in it, after charges that went well, badly and nowhere", async () => {
    const { processor } = merchantOf(gateway);
    const silent = await processor({ settings: { silent_operations: ["sale"], timeout_ms: 100 } });
    for (const over of [{}, { processor_id: silent }, { processor_id: NOBODY }]) {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const body = whole({ card_number: SECRET_CARD, card_cvv: SECRET_CVV, merchant_transaction_id: "kept", ...over });
      await gateway.post(SALE, body, { headers });
    }
    const tables = await gateway.pool<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = current_schema()`;
    const kept: unknown[] = [];
    for (const { name } of tables)
      kept.push(...(await gateway.pool`select row_to_json(one) as row from ${gateway.pool(name)} as one`));
    const values = texts(kept);
    assert.ok(values.includes("kept"), "the charges are among what was looked at");
    assert.ok(values.some((text) => text.includes("492993******5598")));
    assert.ok(!values.some((text) => text.includes(SECRET_CARD)));
    assert.ok(!values.includes(SECRET_CVV));
  });

  test("the schema's exceptions are these, and each has its reason in docs/decisions/stray-card-numbers.md", () => {
    const marked = (schema: Record<string, unknown>, path: string): string[] => [
      ...(schema[MAY_HOLD] === undefined ? [] : [`${path} ${schema[MAY_HOLD]}`]),
      ...Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>).flatMap(([name, inner]) =>
        marked(inner, `${path}.${name}`),
      ),
      ...(schema.items ? marked(schema.items as Record<string, unknown>, path) : []),
    ];
    assert.deepEqual(marked(SaleBody as unknown as Record<string, unknown>, ""), [
      ".card_number anything",
      ".network_transaction_id identifier",
      ".merchant_transaction_id identifier",
      ".document_number tax id",
      ".passenger_transport.ticket_number identifier",
    ]);
  });

  test("an id that looks as if it held a card number is an id all the same", async () => {
    const id = "01a20218-bb59-738b-8121-566735720242";
    const ofProcessor = await gateway.post(SALE, sale({ processor_id: id }));
    assert.equal(ofProcessor.headers.get("faregate-refusal"), "processor-unknown", ofProcessor.text);
    const { charged, follow } = merchantOf(gateway);
    const { id: auth } = await charged("auth", whole());
    const capture = { amount: "1.00", passenger_transport: [{ passenger_id: id, amount: "1.00" }] };
    const ofPassenger = await follow(auth, "capture", capture);
    assert.equal(ofPassenger.headers.get("faregate-refusal"), "passenger-unknown", ofPassenger.text);
    const inPath = await follow(id, "refund");
    assert.equal(inPath.headers.get("faregate-refusal"), "transaction-unknown", inPath.text);
    assert.equal(told(await gateway.get(`/api/transactions/${id}`)), "404 base");
    await refused(() => gateway.post(SALE, sale({ processor_id: SECRET_CARD })), "422 processor_id", [SECRET_CARD]);
  });
});

/** All that is not an object, however deep, also in JSON texts. */
function texts(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(texts);
  if (typeof value !== "string" || !/^[{[]/.test(value)) return [String(value)];
  try {
    return [value, ...texts(JSON.parse(value))];
  } catch {
    return [value];
  }
}

/** A copy in which the field has this value. */
function withValue(body: Json, [name = "", ...rest]: readonly string[], value: unknown): Json {
  const inner = body[name];
  const changed = rest.length === 0 ? value : withValue((inner ?? {}) as Json, rest, value);
  if (Array.isArray(body))
    return body.map((item, index) => (String(index) === name ? changed : item)) as unknown as Json;
  return { ...body, [name]: changed };
}
