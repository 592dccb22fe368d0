// Every request of the Adyen kind, held against the OpenAPI document that Adyen publishes by openapi-core, a validator in Python that
// shares no code with the gateway: path, headers, and body with no field that the document does not have.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { systemClock } from "../../../src/clock.ts";
import { amountOf } from "../../../src/payment/money.ts";
import { Secret } from "../../../src/payment/secret.ts";
import { NOTHING_CHECKED } from "../../../src/payment/verification.ts";
import { adyenKind } from "../../../src/processors/adyen/adyen.ts";
import type { Processor } from "../../../src/processors/processor.ts";
import { processorParts } from "../../conformance/processor-parts.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../conformance/questions.ts";
import { simulatorRecord } from "../../conformance/simulator-record.ts";
import { everyCharge, everyTokenCharge } from "../charges.ts";
import { pythonWith } from "../tools.ts";
import { ADYEN_CHECKOUT } from "./documents.ts";

interface Request {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let requests: Request[] = [];
let python: string;
const server = createServer((incoming, response) => {
  let text = "";
  incoming.setEncoding("utf8").on("data", (piece) => (text += piece));
  incoming.on("end", () => {
    const { method = "", url: path = "", headers } = incoming;
    requests.push({
      name: `${requests.length}`,
      method: method.toLowerCase(),
      path,
      headers,
      body: text === "" ? null : JSON.parse(text),
    });
    const answer = {
      pspReference: "QFQTPCQ8HXSKGK82",
      resultCode: "Authorised",
      status: "received",
      paymentMethods: [],
      storedPaymentMethods: [],
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
});
const SETTINGS = { merchant_account: "TestMerchant", api_key: "test-key", hmac_key: "a1".repeat(32) };
const opened: Processor[] = [];

function processorWith(settings: object, currency = "USD"): Processor {
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v72`;
  const record = simulatorRecord({ ...SETTINGS, base_url, ...settings }, currency);
  const processor = adyenKind.open({ ...record, kind: "adyen" }, processorParts(systemClock));
  opened.push(processor);
  return processor;
}

before(async () => {
  python = await pythonWith("openapi-core", "openapi-core==0.23.1");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(async () => {
  for (const one of opened) await one.close();
  server.close();
});
beforeEach(() => {
  requests = [];
});

const soon = () => AbortSignal.timeout(30_000);

/** By name: what the document has against it. */
async function faultsOf(asked: readonly Request[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const child = spawn(python, [join(import.meta.dirname, "validate.py"), ADYEN_CHECKOUT], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(asked.map((one) => `${JSON.stringify(one)}\n`).join(""));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; faults: string[] });
  assert.equal(lines.length, asked.length);
  return new Map(lines.map(({ name, faults }) => [name, faults]));
}

async function allFit(): Promise<void> {
  assert.ok(requests.length > 0);
  for (const [name, faults] of await faultsOf(requests))
    assert.deepEqual(faults, [], JSON.stringify(requests[Number(name)], null, 1));
}

test("every charge fits the document, in currencies of each exponent", async () => {
  for (const currency of ["USD", "JPY", "KWD", "ISK"])
    for (const question of everyCharge(currency).values()) {
      const answer = await processorWith({ capture_delay_hours: 0 }, currency).charge(question, soon());
      assert.equal(answer.kind, "approved");
    }
  await allFit();
});

const OWN = { token: "8415000000000042", customer: "shopper-17" };

test("every charge of a card that Adyen keeps fits the document, and so does the question what card it is", async () => {
  for (const currency of ["USD", "JPY"])
    for (const question of everyTokenCharge(OWN, currency).values())
      assert.equal((await processorWith({}, currency).charge(question, soon())).kind, "approved");
  for (const { body } of requests)
    assert.ok(!JSON.stringify(body).includes("4242424242424242"), "no card number is sent");
  const kept = { token: new Secret("processor token", OWN.token), customer: OWN.customer };
  assert.equal((await processorWith({}).describeToken?.(kept, soon()))?.kind, "wrong");
  assert.ok(requests.some(({ method, path }) => method === "get" && path.startsWith("/v72/storedPaymentMethods?")));
  await allFit();
});

test("every follow-up fits the document, and so does the reversal of a charge whose answer was lost", async () => {
  const processor = processorWith({ multiple_captures: true });
  const auth = chargeQuestion("auth");
  const response = { code: "00", message: "", transactionId: "QFQTPCQ8HXSKGK82", authCode: null, ...NOTHING_CHECKED };
  const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
  for (const question of [
    followUpQuestion("capture", auth, response),
    followUpQuestion("capture", auth, response, { minor: 400n }),
    followUpQuestion("void", auth, response),
    followUpQuestion("void", auth, response, { captures: [{ left: amountOf(1000n), settlement }] }),
    followUpQuestion("refund", auth, response, { minor: 300n }),
  ])
    assert.equal((await processor.followUp(question, soon())).kind, "pending");
  assert.equal((await processor.timeoutReversal(timeoutReversalQuestion(auth), soon())).kind, "pending");
  const paths = requests.map(({ path }) => path.replace(/^\/v72(\/payments\/[^/]+)?/, ""));
  assert.deepEqual(paths, ["/captures", "/captures", "/cancels", "/reversals", "/refunds", "/cancels"]);
  await allFit();
});

test("health and the check of an account fit the document", async () => {
  const processor = processorWith({});
  await processor.health(soon());
  await processor.check?.(soon());
  assert.ok(requests.some(({ path }) => path === "/v72/paymentMethods"));
  await allFit();
});

test("the validator finds what is wrong: a field, a card's or a token's, a type, a path, a parameter, a missing key", async () => {
  await processorWith({}).charge(chargeQuestion("sale"), soon());
  const [good] = requests;
  assert.ok(good);
  const body = good.body as { readonly paymentMethod: object; readonly amount: object };
  const headers = { "content-type": "application/json" };
  const wrong: Readonly<Record<string, Partial<Request>>> = {
    field: { body: { ...body, shopperstatement: "SHOP" } },
    card: { body: { ...body, paymentMethod: { ...body.paymentMethod, holder: "Jane" } } },
    type: { body: { ...body, amount: { ...body.amount, value: "1000" } } },
    missing: { body: { ...body, merchantAccount: undefined } },
    path: { path: "/v72/payment" },
    token: { body: { ...body, paymentMethod: { type: "scheme", storedPaymentMethod: "8415" } } },
    parameter: { method: "get", path: "/v72/storedPaymentMethods?merchantAccount=A&shopper=B", body: null },
    key: { headers },
  };
  const faults = await faultsOf(Object.entries(wrong).map(([name, over]) => ({ ...good, ...over, name })));
  for (const [name, found] of faults) assert.notDeepEqual(found, [], name);
});
