// Cards on file are verified without money: at each kind of processor, what the issuer says of them is told, and nothing else happens.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Host as AcquirerHost } from "../../acquirer/host.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as acquirerHost, testSettings, type Writing } from "../conformance/iso8583-subject.ts";
import { testHost as stripeHost, stripeSettings } from "../conformance/stripe-subject.ts";
import { startToyHost, type ToyHost } from "../toy/host.ts";
import { KINDS_WITH_TOY } from "../toy/kind.ts";
import { type Request, startTestGateway, told } from "./gateway.ts";
import { SECRET_CVV, stored } from "./harmless.fixture.ts";
import { CARD, expectStatus, type Gateway, type Json, merchantOf, NOBODY, newMerchant } from "./merchant.fixture.ts";
import { tablesThatMatch } from "./traces.fixture.ts";

const WRITING: Writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" };
const ADDRESS = { street_address_1: "1 Main St", zip: "95030" };

describe("the verification of a card", () => {
  let gateway: Gateway;
  let stripe: Host;
  let adyen: AdyenHost;
  let acquirer: AcquirerHost;
  let toy: ToyHost;
  let records: Readonly<Record<"simulator" | "stripe" | "adyen" | "iso8583" | "toy", string>>;
  before(async () => {
    [gateway, stripe, adyen, acquirer, toy] = await Promise.all([
      startTestGateway({}, { kinds: KINDS_WITH_TOY }),
      stripeHost(),
      testAdyenHost(),
      acquirerHost(WRITING),
      startToyHost(),
    ]);
    const { processor } = merchantOf(gateway);
    const timeout_ms = 5_000;
    records = {
      simulator: await processor({ settings: { timeout_ms: 500 } }),
      stripe: await processor({ kind: "stripe", settings: { ...stripeSettings(stripe.port), timeout_ms } }),
      adyen: await processor({ kind: "adyen", settings: { ...ACCOUNT, base_url: adyen.baseUrl, timeout_ms } }),
      iso8583: await processor({ kind: "iso8583", settings: { ...testSettings(acquirer.port, WRITING), timeout_ms } }),
      toy: await processor({ kind: "toy", settings: { base_url: toy.url, secret: toy.secret, timeout_ms } }),
    };
    adyen.webhooks.url = `${gateway.url}/notifications/${records.adyen}`;
  });
  after(async () => {
    await gateway.close();
    await Promise.all([stripe.stop(), adyen.stop(), acquirer.stop(), toy.close()]);
  });
  beforeEach(() => {
    stripe.behave();
    adyen.behave();
    acquirer.behave();
  });

  const store = async (card_number: string, over: Json = {}): Promise<string> =>
    expectStatus(await gateway.post("/api/cards", { ...CARD, card_number, ...over }), 201).body.card.id;
  const verify = (id: string, json: Json = {}, request: Request = {}) =>
    gateway.post(`/api/cards/${id}/verify`, json, request);
  const verified = async (id: string, json: Json = {}): Promise<Json> =>
    expectStatus(await verify(id, json), 200).body.verification;
  /** Of the parts that the contract names. */
  const shown = ({ success, avs_response, cvv_response, processor_code }: Json) =>
    [success, avs_response, cvv_response, processor_code].join(" ");
  const movesNothing = async (work: () => Promise<void>) => {
    const { keys: _, answers: __, cards: ___, ...rows } = await stored(gateway.pool);
    await work();
    const { keys: _k, answers: _a, cards: _c, ...then } = await stored(gateway.pool);
    assert.deepEqual(then, rows);
  };

  test("each kind tells what the issuer says: of the card, its address and its CVV; no transaction, no money", async () => {
    const good = { ...ADDRESS };
    const rows = [
      ["simulator", "4111111111111111", good, { card_cvv: SECRET_CVV }, "true match match 00"],
      ["simulator", "4111111111111111", {}, {}, "true   00"],
      ["simulator", "4000000000000010", good, { card_cvv: SECRET_CVV }, "true no_match match 00"],
      ["simulator", "4000000000000002", good, {}, "false match  05"],
      ["simulator", "4000000000000127", {}, { card_cvv: SECRET_CVV }, "false  no_match N7"],
      ["simulator", "4000000000009995", {}, {}, "false   51"],
      ["iso8583", "4111111111111111", good, { card_cvv: SECRET_CVV }, "true match match 00"],
      ["iso8583", "4111111111111111", {}, {}, "true   00"],
      ["iso8583", "4000000000000069", {}, {}, "false   54"],
      ["iso8583", "4000000000000127", {}, { card_cvv: SECRET_CVV }, "false  no_match N7"],
      ["stripe", "4242424242424242", good, { card_cvv: SECRET_CVV }, "true match match 00"],
      ["stripe", "4242424242424242", {}, {}, "true   00"],
      ["stripe", "4000000000000010", good, {}, "true no_match  00"],
      ["stripe", "4000000000000002", {}, {}, "false   05"],
      ["stripe", "4000002760003184", {}, {}, "false   1A"],
      [
        "adyen",
        "4111111111111111",
        { ...good, city: "Los Gatos", country: "US", state: "CA" },
        { card_cvv: SECRET_CVV },
        "true match match 00",
      ],
      ["adyen", "4111111111111111", {}, {}, "true  not_present 00"],
      ["adyen", "4000000000009995", {}, {}, "false   12"],
      ["adyen", "4000000000003220", {}, {}, "false   38"],
    ] as const;
    await movesNothing(async () => {
      for (const [kind, number, holder, json, expected] of rows) {
        const id = await store(number, holder);
        const said = await verified(id, { processor_id: records[kind], ...json });
        assert.equal(shown(said), expected, `${kind} ${number} ${JSON.stringify(said)}`);
        assert.equal(said.processor_id, records[kind]);
        assert.equal(typeof said.processor_message, "string");
      }
    });
    assert.equal([...stripe.ledger.state.payments.values()].length, 0);
    for await (const entry of acquirer.books.entries()) assert.notEqual(entry.kind, "booked", JSON.stringify(entry));
    const noted = (await gateway.operator("GET", "/operator/audit-log")).body.entries;
    const [entry] = noted.filter(({ action }: Json) => action === "card.verify");
    assert.deepEqual(Object.keys(entry.after).sort(), [
      "avs_response",
      "cvv_response",
      "processor_code",
      "processor_id",
      "success",
    ]);
    assert.deepEqual(await tablesThatMatch(gateway.pool, `(^|[^0-9a-f.:-])${SECRET_CVV}([^0-9a-f.:-]|$)`), []);
    // Adyen tells of it by webhook as of any payment; that is no news, and none to keep for the operator.
    const kept = (await gateway.operator("GET", "/operator/notifications")).body.notifications;
    assert.deepEqual(
      kept.filter(({ processor_id }: Json) => processor_id === records.adyen),
      [],
    );
  });

  test("a card that its processor keeps is verified there, and nowhere else", async () => {
    const method = "8415718415711111";
    adyen.stored.set(method, {
      shopperReference: "jane",
      number: "5555555555554444",
      expiryMonth: "3",
      expiryYear: "41",
    });
    const of = { processor_id: records.adyen, processor_token: method, processor_customer: "jane" };
    const { id } = expectStatus(await gateway.post("/api/cards", of), 201).body.card;
    assert.equal(shown(await verified(id)), "true  not_present 00");
    assert.equal(shown(await verified(id, { card_cvv: SECRET_CVV })), "true  match 00");
    const elsewhere = await verify(id, { processor_id: records.simulator });
    assert.deepEqual(
      [told(elsewhere), elsewhere.headers.get("faregate-refusal")],
      ["422 processor_id", "card-of-another-processor"],
    );
  });

  test("without an answer nothing is known: 503, and the same request again asks again", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const id = await store("4111111111111111");
    const silences: readonly (readonly [keyof typeof records, () => void, () => void])[] = [
      ["stripe", () => stripe.misbehave({ what: "error-before", on: ["setup"] }), () => stripe.behave()],
      ["adyen", () => adyen.misbehave({ what: "silent-before" }), () => adyen.behave()],
      ["iso8583", () => acquirer.misbehave({ what: "garbage", on: ["auth"] }), () => acquirer.behave()],
    ];
    for (const [kind, misbehave, behave] of silences) {
      await gateway.operator("PATCH", `/operator/processors/${records[kind]}`, { settings: { timeout_ms: 1_000 } });
      misbehave();
      const key = { headers: { "idempotency-key": `${headers["idempotency-key"]}-${kind}` } };
      const silent = await verify(id, { processor_id: records[kind] }, key);
      assert.deepEqual(
        [told(silent), silent.headers.get("faregate-refusal")],
        ["503 base", "verification-not-answered"],
        kind,
      );
      behave();
      const again = expectStatus(await verify(id, { processor_id: records[kind] }, key), 200);
      assert.equal(again.headers.get("idempotent-replayed"), null);
      assert.equal(again.body.verification.success, true);
    }
    const never = await store("4000000000000408");
    assert.equal(told(await verify(never, { processor_id: records.simulator })), "503 base");
    const refuses = await merchantOf(gateway).processor({ settings: { refuse_connections: true } });
    assert.equal(told(await verify(id, { processor_id: refuses })), "503 base");
  });

  test("a request with its key is answered once; its key is no other request's", async () => {
    const id = await store("4111111111111111");
    const request = { headers: { "idempotency-key": randomUUID() } };
    const json = { processor_id: records.stripe };
    const first = expectStatus(await verify(id, json, request), 200);
    stripe.misbehave({ what: "error-before", on: ["setup", "card"] });
    const again = expectStatus(await verify(id, json, request), 200);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    assert.equal(told(await verify(id, { processor_id: records.adyen }, request)), "422 base");
    expectStatus(await gateway.call("DELETE", `/api/cards/${id}`), 204);
    assert.equal((await verify(id, json, request)).text, first.text);
  });

  test("what cannot be verified is refused, and asks nobody", async () => {
    const id = await store("4111111111111111");
    const rows: readonly (readonly [string, Json, string, string | null])[] = [
      [id, { processor_id: records.toy }, "422 processor_id", "processor-cannot-verify"],
      [id, { processor_id: NOBODY }, "422 processor_id", "processor-unknown"],
      [id, { processor_id: "x" }, "422 processor_id", null],
      [id, { card_cvv: "12" }, "422 card_cvv", null],
      [id, { card_cvv: SECRET_CVV, note: "4111111111111111", ip_address: "x" }, "422 ip_address", null],
      [NOBODY, {}, "404 base", "card-unknown"],
      ["x", {}, "404 base", "card-unknown"],
    ];
    for (const [card, json, expected, refusal] of rows) {
      const answer = await verify(card, json);
      assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [expected, refusal], answer.text);
    }
    const ownKey = await verify(id, {}, { headers: { "idempotency-key": "x-4111111111111111" } });
    assert.equal(told(ownKey), "422 base");
    const other = await newMerchant(gateway, {});
    assert.equal(told(await verify(id, {}, { token: other.token })), "404 base");
    const { user_id } = gateway.sandbox;
    const unscoped = await merchantOf(gateway).token({ user_id, scopes: ["charge", "read"] });
    assert.equal(told(await verify(id, {}, { token: unscoped })), "403 base");
    const onlyToy = await newMerchant(gateway, { kind: "toy", settings: { base_url: toy.url, secret: toy.secret } });
    const own = expectStatus(await gateway.post("/api/cards", CARD, { token: onlyToy.token }), 201).body.card.id;
    const none = await verify(own, {}, { token: onlyToy.token });
    assert.deepEqual(
      [told(none), none.headers.get("faregate-refusal")],
      ["422 processor_id", "processor-cannot-verify"],
    );
  });

  test("a merchant's cards are verified before they are stored, by setting; one that is declined or unknown is not stored", async () => {
    const own = await newMerchant(gateway, { settings: { timeout_ms: 500 } });
    const path = `/operator/merchants/${own.merchantId}`;
    const changed = await gateway.operator("PATCH", path, { verify_cards: true });
    assert.equal(expectStatus(changed, 200).body.merchant.verify_cards, true);
    await setTimeout(1_100);
    const put = (card_number: string, over: Json = {}, headers = {}) =>
      gateway.post("/api/cards", { ...CARD, card_number, ...over }, { token: own.token, headers });
    // Whatever currencies there are to choose from: nothing is charged.
    const cad = { name: "CAD", kind: "simulator", currency: "CAD", in_rotation: true };
    expectStatus(await gateway.operator("POST", `${path}/processors`, cad), 201);
    const good = expectStatus(await put("4111111111111111", { ...ADDRESS, card_cvv: SECRET_CVV }), 201).body;
    assert.equal(shown(good.verification), "true match match 00");
    const rows = [
      ["4000000000000002", "422 card_number", "card-declined"],
      ["4000000000000408", "503 base", "verification-not-answered"],
    ] as const;
    for (const [number, expected, refusal] of rows) {
      const answer = await put(number, {}, { "idempotency-key": randomUUID() });
      assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [expected, refusal], answer.text);
    }
    assert.match((await put("4000000000000002")).text, /it was not stored: 05 DO NOT HONOR\./);
    const { cards } = (await gateway.get("/api/cards", { token: own.token })).body;
    assert.deepEqual(
      cards.map(({ id }: Json) => id),
      [good.card.id],
    );
  });

  test("many different cards that are declined look like card testing, stored or verified", async () => {
    const own = await newMerchant(gateway, {});
    await gateway.operator("PATCH", `/operator/merchants/${own.merchantId}/card-testing`, { cards_per_range: 10 });
    const statuses: number[] = [];
    for (let nth = 0; nth < 40 && statuses.at(-1) !== 429; nth++) {
      // All of one range; none passes Luhn, so each is declined.
      const card_number = `411111111100${String(1000 + nth * 7)}`;
      const stored = await gateway.post("/api/cards", { ...CARD, card_number }, { token: own.token });
      if (stored.status !== 201) statuses.push(stored.status);
      else statuses.push((await verify(stored.body.card.id, {}, { token: own.token })).status);
    }
    assert.equal(statuses.at(-1), 429, statuses.join());
  });
});
