// What an operator cannot enter of a dispute, over HTTP and by the command line, and what a void of disputed money says.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Concealed } from "../../src/settings.ts";
import { faregate } from "../command-line.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale } from "./merchant.fixture.ts";

const secret = randomBytes(32);

describe("a dispute of money that never moved", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(secret) });
  });
  after(() => gateway.close());

  const enter = (json: Json) =>
    gateway.operator("POST", `/operator/merchants/${gateway.sandbox.merchant_id}/disputes`, json);
  const change = (id: unknown, json: Json) => gateway.operator("PATCH", `/operator/disputes/${id}`, json);
  const entered = async (json: Json): Promise<string> => expectStatus(await enter(json), 201).body.dispute.id;
  const charged = async (path: "sale" | "auth", over: Json = {}): Promise<string> =>
    (await merchantOf(gateway).charged(path, sale({ amount: "10.00", ...over }))).id;
  /** The simulator declines this card. */
  const DECLINED = { card_number: "4000000000000002" };
  const voided = async () => {
    const id = await charged("sale");
    expectStatus(await merchantOf(gateway).follow(id, "void"), 200);
    return id;
  };
  const ALL = { amount: "10.00", amount_withdrawn: "10.00" };

  test("is refused by name, with the field that is wrong, and leaves nothing", async () => {
    const sold = await charged("sale");
    for (const [id, json, field, name, text] of [
      [await charged("sale", DECLINED), ALL, "transaction_id", "disputed-charge-not-approved", /was not approved/],
      [await voided(), ALL, "amount_withdrawn", "nothing-captured-to-withdraw", /Nothing of this payment was captured/],
      [await charged("auth"), ALL, "amount_withdrawn", "nothing-captured-to-withdraw", /Nothing of this payment/],
      [
        sold,
        { amount: "25.00", amount_withdrawn: "25.00" },
        "amount_withdrawn",
        "withdrawn-exceeds-captured",
        /: at most 10\.00\.$/,
      ],
      [
        sold,
        { amount: "5.00", amount_withdrawn: "5.01" },
        "amount_withdrawn",
        "withdrawn-exceeds-disputed",
        /: at most 5\.00\.$/,
      ],
      [sold, { ...ALL, stage: "inquiry" }, "amount_withdrawn", "inquiry-moves-no-money", /moves no money/],
      [sold, { ...ALL, currency: "EUR" }, "currency", "withdrawn-in-other-currency", /in the currency of the payment/],
      [
        sold,
        { amount: "1", respond_by: "2001-01-01T00:00:00Z" },
        "respond_by",
        "dispute-before-charge",
        /before the charge/,
      ],
    ] as const) {
      const { status, body, headers } = await enter({ transaction_id: id, ...json });
      assert.deepEqual([status, headers.get("faregate-refusal")], [422, name], JSON.stringify(json));
      assert.match(body.error.message[field].join(), text);
      const { disputes } = (await gateway.operator("GET", `/operator/disputes?transaction_id=${id}`)).body;
      assert.deepEqual(disputes, []);
    }
    assert.equal((await enter({ transaction_id: sold, amount: "1", amount_withdrawn: "-1" })).status, 422);
  });

  test("is refused by a change, too, and over all disputes of the payment", async () => {
    const id = await charged("sale");
    const first = await entered({ transaction_id: id, amount: "6.00", amount_withdrawn: "6.00" });
    const second = await entered({ transaction_id: id, amount: "6.00" });
    const more = await change(second, { amount_withdrawn: "4.01" });
    assert.deepEqual([more.status, more.headers.get("faregate-refusal")], [422, "withdrawn-exceeds-captured"]);
    assert.deepEqual(more.body.error.message.amount_withdrawn, [
      "More than was captured and other disputes have not withdrawn: at most 4.00.",
    ]);
    expectStatus(await change(second, { amount_withdrawn: "4.00" }), 200);
    expectStatus(await change(first, { outcome: "won", amount_withdrawn: "0.00" }), 200);
    expectStatus(await change(second, { amount_withdrawn: "6.00" }), 200);
    const inquiry = await change(second, { stage: "inquiry" });
    assert.equal(inquiry.headers.get("faregate-refusal"), "inquiry-moves-no-money");
    const euros = await change(second, { currency: "EUR" });
    assert.equal(euros.headers.get("faregate-refusal"), "withdrawn-in-other-currency");
  });

  test("of two operators who enter all of it at the same time, one is refused", async () => {
    for (let round = 0; round < 5; round++) {
      const transaction_id = await charged("sale");
      const both = await Promise.all([enter({ transaction_id, ...ALL }), enter({ transaction_id, ...ALL })]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422]);
    }
  });

  test("is refused by the command line in one sentence, with exit code 2", async () => {
    const { host, port, user, password, database } = gateway.address;
    const DATABASE_URL = `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    const merchant = ["--merchant", gateway.sandbox.merchant_id];
    for (const [id, given, expected] of [
      [
        await charged("sale", DECLINED),
        ["--amount", "1"],
        /^error: --transaction: The charge was not approved: [^\n]*\n$/,
      ],
      [
        await charged("sale"),
        ["--amount", "250.00", "--amount-withdrawn", "250.00"],
        /^error: --amount-withdrawn: More than was captured [^\n]*: at most 10\.00\.\n$/,
      ],
    ] as const) {
      const environment = { DATABASE_URL, FAREGATE_MODE: "sandbox", FAREGATE_SECRET: secret.toString("base64") };
      const { code, stderr } = await faregate(
        environment,
        "dispute",
        "create",
        ...merchant,
        "--transaction",
        id,
        ...given,
      );
      assert.match(stderr, expected);
      assert.equal(code, 2);
    }
  });

  test("without money may be entered: an inquiry about what was voided or only authorized", async () => {
    for (const transaction_id of [await voided(), await charged("auth")])
      await entered({ transaction_id, amount: "10.00", stage: "inquiry" });
  });
});

describe("captured money that is in dispute", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const disputed = async (transaction_id: string): Promise<string> => {
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/disputes`;
    return expectStatus(await gateway.operator("POST", path, { transaction_id, amount: "1.00" }), 201).body.dispute.id;
  };
  const charged = async (path: "sale" | "auth"): Promise<string> =>
    (await merchantOf(gateway).charged(path, sale({ amount: "10.00" }))).id;
  const follow = async (id: string, path: "capture" | "void" | "refund" | "reversal", json?: Json) =>
    expectStatus(await merchantOf(gateway).follow(id, path, json), 200).headers.get("faregate-disputed");
  const warnings = async (id: string) => {
    const { actions } = await merchantOf(gateway).found(id);
    return ["capture", "void", "refund", "reversal"].filter((name) => actions[name].warning === "disputed");
  };

  test("is voided with a warning before and after", async () => {
    const id = await charged("sale");
    assert.deepEqual(await warnings(id), []);
    const dispute = await disputed(id);
    assert.deepEqual(await warnings(id), ["void", "refund", "reversal"]);
    assert.equal(await follow(id, "void", { amount: "4.00" }), dispute);
    assert.equal(await follow(id, "reversal"), dispute);
  });

  test("warns on the void of what was captured, and not of what was only held", async () => {
    const held = await charged("auth");
    await disputed(held);
    assert.deepEqual(await warnings(held), ["reversal"]);
    assert.equal(await follow(held, "void"), null);
    const captured = await charged("auth");
    await follow(captured, "capture", { amount: "6.00" });
    const dispute = await disputed(captured);
    assert.deepEqual(await warnings(captured), ["void", "refund", "reversal"]);
    assert.equal(await follow(captured, "void"), dispute);
  });

  test("is voided without a warning once the dispute has ended and its money is back", async () => {
    const id = await charged("sale");
    const dispute = await disputed(id);
    expectStatus(await gateway.operator("PATCH", `/operator/disputes/${dispute}`, { outcome: "won" }), 200);
    assert.deepEqual(await warnings(id), []);
    assert.equal(await follow(id, "void"), null);
  });
});
