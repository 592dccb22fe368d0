// What a payer agreed to when a card was stored: given with the card, changed, shown, and held to by every charge that the merchant initiates,
// however many come at once and on whichever node.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { until } from "../receiver.ts";
import { type Answer, type Request, told } from "./gateway.ts";
import { CARD, expectStatus, type Gateway, type Json, sale, transactionOf } from "./merchant.fixture.ts";
import { type Installation, newInstallation } from "./nodes.fixture.ts";

const ALL = {
  ...{ currency: "USD", amount_at_most: "50.00", period: "month", period_amount_at_most: "80.00" },
  ...{ charges_at_most: 3, until: "2099-05-01" },
};

describe("a payer's consent", () => {
  let installation: Installation;
  let gateway: Gateway;
  let other: Gateway;
  let usd: string;
  before(async () => {
    installation = await newInstallation();
    gateway = await installation.startNode();
    other = await installation.startNode();
    usd = gateway.sandbox.processors.usd ?? "";
  });
  after(async () => {
    await Promise.all([gateway?.close(), other?.close()]);
    await installation?.remove();
  });

  const store = (consent: unknown, over: Json = {}) => gateway.post("/api/cards", { ...CARD, consent, ...over });
  const kept = async (consent: unknown, over: Json = {}) => expectStatus(await store(consent, over), 201).body.card;
  const cardOf = async (id: string) => expectStatus(await gateway.get(`/api/cards/${id}`), 200).body.card;
  const patch = (id: string, json: Json) => gateway.call("PATCH", `/api/cards/${id}`, { json });
  const charge = (card_id: string, over: Json = {}, at = gateway, request: Request = {}): Promise<Answer> => {
    const { card_number: _, card_expiry_month: __, card_expiry_year: ___, ...others } = sale({ processor_id: usd });
    return at.post(
      "/api/transactions/sale",
      { ...others, amount: "10.00", card_id, initiator: "merchant", ...over },
      request,
    );
  };
  const charged = async (card_id: string, over: Json = {}) =>
    transactionOf(expectStatus(await charge(card_id, over), 200));
  const refused = async (card_id: string, over: Json, name: string, field: string, most?: string) => {
    const answer = await charge(card_id, over);
    assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [`422 ${field}`, name], answer.text);
    if (most !== undefined) assert.match(answer.text, new RegExp(`at most ${most}`));
  };

  test("is given with the card, replaced as a whole, removed, and shown", async () => {
    assert.equal((await kept(undefined)).consent, null);
    const { id, consent } = await kept(ALL);
    assert.deepEqual(consent, ALL);
    assert.deepEqual((await cardOf(id)).consent, ALL);
    assert.deepEqual(expectStatus(await patch(id, { zip: "8000" }), 200).body.card.consent, ALL);
    assert.deepEqual(expectStatus(await patch(id, { consent: { charges_at_most: 5 } }), 200).body.card.consent, {
      charges_at_most: 5,
    });
    assert.equal(expectStatus(await patch(id, { consent: null }), 200).body.card.consent, null);
    const stored = transactionOf(
      expectStatus(
        await gateway.post("/api/transactions/sale", sale({ processor_id: usd, store_card: true, consent: ALL })),
        200,
      ),
    );
    assert.equal(stored.consent, undefined);
    assert.deepEqual((await cardOf(stored.card_id)).consent, ALL);
    const { body } = await gateway.operator("GET", `/operator/audit-log?action=card.change`);
    assert.ok(JSON.stringify(body).includes('"charges_at_most":5'));
  });

  test("is refused where it says nothing, or half of something", async () => {
    const { id } = await kept(undefined);
    for (const [consent, fields] of [
      [{}, "consent"],
      ["always", "consent"],
      [{ amount_at_most: "1.00" }, "consent.currency"],
      [{ currency: "USD", amount_at_most: "0" }, "consent.amount_at_most"],
      [{ currency: "JPY", amount_at_most: "1.50" }, "consent.amount_at_most"],
      [{ currency: "XXX" }, "consent.currency"],
      [{ currency: "USD", period: "month" }, "consent.period_amount_at_most"],
      [{ currency: "USD", period_amount_at_most: "1.00" }, "consent.period"],
      [{ currency: "USD", period: "fortnight", period_amount_at_most: "1.00" }, "consent.period"],
      [{ charges_at_most: 0 }, "consent.charges_at_most"],
      [{ until: "2031-02-30" }, "consent.until"],
    ] as const) {
      for (const answer of [await store(consent), await patch(id, { consent })])
        assert.equal(told(answer), `422 ${fields}`, `${JSON.stringify(consent)}: ${answer.text}`);
    }
    const alone = await gateway.post("/api/transactions/sale", sale({ consent: ALL }));
    assert.equal(told(alone), "422 consent");
  });

  test("limits what the merchant initiates, each limit under its own name, and nothing that the payer does", async () => {
    const { id } = await kept(ALL);
    await refused(id, { amount: "50.01" }, "consent-exceeded", "amount", "50.00");
    await refused(id, { processor_id: gateway.sandbox.processors.cad }, "consent-in-other-currency", "currency");
    await charged(id, { amount: "50.00" });
    await refused(id, { amount: "30.01" }, "consent-exceeded-in-period", "amount", "30.00");
    await charged(id, { amount: "500.00", initiator: "payer" });
    await charged(id, { amount: "20.00" });
    await charged(id, { amount: "10.00" });
    await refused(id, { amount: "0.01" }, "consent-used-up", "card_id");
    await charged(id, { amount: "500.00", initiator: "payer" });
    expectStatus(await patch(id, { consent: { charges_at_most: 4 } }), 200);
    await charged(id, { amount: "500.00" });
    await refused(id, {}, "consent-used-up", "card_id");
    const { id: ended } = await kept({ until: "2020-01-01" });
    await refused(ended, {}, "consent-expired", "card_id");
    expectStatus(await patch(ended, { consent: null }), 200);
    await charged(ended);
  });

  test("a decline is not counted, silence is until the charge is taken back, and a repeated request is one charge", async () => {
    const declined = await kept({ charges_at_most: 1 }, { card_number: "4000000000000002" });
    for (let times = 0; times < 3; times++) assert.equal((await charged(declined.id)).events[0].success, false);
    const silent = await kept({ charges_at_most: 1 }, { card_number: "4000000000000408" });
    const both = await Promise.all([charge(silent.id), charge(silent.id)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422]);
    await until("its reversal is confirmed", async () => (await charge(silent.id, { amount: "1.00" })).status !== 422);
    const { id } = await kept({ charges_at_most: 1 });
    const once = { headers: { "idempotency-key": randomUUID() } };
    const first = expectStatus(await charge(id, {}, gateway, once), 200);
    await refused(id, {}, "consent-used-up", "card_id");
    for (const node of [gateway, other]) {
      const token = gateway.sandbox.api_token;
      const again = await charge(id, {}, node, { ...once, token });
      assert.deepEqual([again.status, again.text], [200, first.text]);
    }
  });

  test("is kept by all that come at once, on two nodes", async () => {
    for (const [consent, over, fits, name] of [
      [{ charges_at_most: 5 }, {}, 5, "consent-used-up"],
      [{ currency: "USD", period: "year", period_amount_at_most: "75.00" }, {}, 7, "consent-exceeded-in-period"],
    ] as const) {
      const { id } = await kept(consent);
      const token = gateway.sandbox.api_token;
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, nth) => charge(id, over, nth % 2 === 0 ? gateway : other, { token })),
      );
      const made = answers.filter(({ status }) => status === 200);
      assert.equal(made.length, fits);
      for (const answer of answers.filter(({ status }) => status !== 200))
        assert.equal(answer.headers.get("faregate-refusal"), name, answer.text);
      const rows = await gateway.pool`select count(*)::int as n from consent_charges where card_id = ${id}`;
      assert.equal(rows[0]?.n, fits);
    }
  });

  test("goes with its card, and what was charged by it can still be given back", async () => {
    const { id } = await kept({ charges_at_most: 1 });
    const { id: paid } = await charged(id);
    expectStatus(await gateway.call("DELETE", `/api/cards/${id}`), 204);
    const left = await gateway.pool`select 1 from consent_charges where card_id = ${id}`;
    assert.equal(left.length, 0);
    expectStatus(await gateway.post(`/api/transactions/${paid}/void`, {}), 200);
  });
});
