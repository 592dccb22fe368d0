// Answers that Adyen's host never gives: about another payment, or to a capture with another word than "received".

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { ACCOUNT, openAdyen } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../../test/conformance/questions.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { Processor } from "../processor.ts";
import { renderReference } from "./reference.ts";

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: no JSON. */
  readonly json?: object;
}

let answer: object = {};
/** Before the answer, one after the other. */
let first: readonly Reply[] = [];
let processor: Processor;
const keys: unknown[] = [];
const server = createServer(({ headers }, response) => {
  keys.push(headers["idempotency-key"]);
  const [{ status, headers: told, json } = { status: 200, json: answer }, ...others] = first;
  first = others;
  response
    .writeHead(status, { "content-type": "application/json", ...told })
    .end(json ? JSON.stringify(json) : "<html>");
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v72`;
  processor = openAdyen({ ...ACCOUNT, base_url });
});

after(async () => {
  await processor.close();
  server.close();
});

const soon = () => AbortSignal.timeout(10_000);
const CHARGE = chargeQuestion("sale");
const YES = { pspReference: "PSP1", resultCode: "Authorised" };

test("a yes to another payment, or to another amount, is none to this one", async () => {
  const [merchantReference, amount] = [renderReference(CHARGE), { currency: "USD", value: 1000 }];
  for (const [about, expected] of [
    [{ merchantReference, amount }, "approved"],
    [{ merchantReference: renderReference(chargeQuestion("sale")), amount }, "unanswered"],
    [{ merchantReference, amount: { currency: "USD", value: 100 } }, "unanswered"],
    [{ merchantReference, amount: { currency: "CAD", value: 1000 } }, "unanswered"],
  ] as const) {
    answer = { ...YES, ...about };
    assert.equal((await processor.charge(CHARGE, soon())).kind, expected, JSON.stringify(about));
  }
});

const BUSY: Reply = { status: 429, json: { errorCode: "000" } };

for (const [rule, replies, expected] of [
  ["a charge that is turned away each time was not sent", Array(5).fill(BUSY), "not-sent"],
  [
    "nobody knows of one that was turned away after an answer that says nothing",
    [{ status: 200 }, ...Array(4).fill(BUSY)],
    "unanswered",
  ],
  ["one that is still at work is asked for again (422)", [{ status: 422, json: { errorCode: "704" } }], "approved"],
  ["one that is still at work is asked for again (409)", [{ status: 409, json: { errorCode: "704" } }], "approved"],
  ["so is what another try may mend", [{ status: 422, headers: { "transient-error": "true" }, json: {} }], "approved"],
  [
    "a failure says nothing, whatever it names",
    [{ status: 500, json: { errorCode: "905", message: "no" } }],
    "approved",
  ],
  ["a refusal is one in JSON", [{ status: 422, json: { errorCode: "101" } }], "declined"],
  ["and nothing without it", [{ status: 422 }], "unanswered"],
  ["a redirection is no answer", [{ status: 307, json: {} }], "unanswered"],
] as const satisfies readonly (readonly [string, readonly Reply[], string])[])
  test(rule, async () => {
    [answer, first] = [YES, replies];
    assert.equal((await processor.charge(CHARGE, soon())).kind, expected);
  });

/** A first sending of which nobody knows what became. */
const LOST: readonly Reply[] = [
  { status: 500, json: {} },
  { status: 200 },
  { status: 422, json: { errorCode: "704" } },
];
const NO = { pspReference: "PSP9", resultCode: "Refused", refusalReasonCode: "2" };
const UNDER_KEY = { "idempotency-key": CHARGE.reference };

for (const [said, repeat, expected] of [
  ["400", { status: 400, json: { errorCode: "702" } }, "unanswered"],
  ["409", { status: 409, json: { errorCode: "000" } }, "unanswered"],
  ["422", { status: 422, json: { errorCode: "101" } }, "unanswered"],
  [
    "422 under the key, since Adyen says 704 under it, too",
    { status: 422, headers: UNDER_KEY, json: {} },
    "unanswered",
  ],
  ["402 of a proxy", { status: 402, json: { error: "no" } }, "unanswered"],
  ["401", { status: 401, json: {} }, "unanswered"],
  ["a refusal that nobody gave under the key", { status: 200, json: NO }, "unanswered"],
  ["one under another key", { status: 200, headers: { "idempotency-key": "x" }, json: NO }, "unanswered"],
  ["the first answer, a refusal", { status: 200, headers: UNDER_KEY, json: NO }, "declined"],
  ["the first answer, an approval", { status: 200, json: YES }, "approved"],
] as const satisfies readonly (readonly [string, Reply, string])[])
  test(`the repeat of a charge of which nobody knows is answered ${said}: ${expected}`, async () => {
    for (const lost of LOST) {
      first = [lost, repeat];
      answer = {};
      const said = await processor.charge(CHARGE, soon());
      assert.equal(said.kind, expected);
      if (said.kind === "declined") assert.equal(said.isFirstAnswer, true);
      if (said.kind === "unanswered") assert.match(said.why, /then, to its repeat: /);
    }
  });

test("what was turned away unread leaves no doubt: the refusal of its repeat is one", async () => {
  first = [BUSY, { status: 422, json: { errorCode: "101" } }];
  assert.equal((await processor.charge(CHARGE, soon())).kind, "declined");
});

test("a capture, void or refund waits for its webhook once it is received, and with any other word is unanswered", async () => {
  const response = { code: "00", message: "", transactionId: "PSP1", authCode: null, ...NOTHING_CHECKED };
  for (const [status, expected] of [
    ["received", "pending"],
    ["Received", "unanswered"],
    ["refused", "unanswered"],
    [undefined, "unanswered"],
  ] as const)
    for (const type of ["capture", "void", "refund"] as const) {
      answer = { pspReference: "PSP2", status };
      const question = followUpQuestion(type, CHARGE, response);
      assert.equal((await processor.followUp(question, soon())).kind, expected, `${type} ${status}`);
    }
});

test("a reversal that is asked for again is a new one: under the first one's key Adyen would only say again what that was", async () => {
  answer = { pspReference: "PSP3", status: "received" };
  keys.length = 0;
  for (const _ of [1, 2]) await processor.timeoutReversal(timeoutReversalQuestion(CHARGE), soon());
  assert.equal(new Set(keys).size, 2);
});

test("what is captured with a delay is not refunded before it settles, and what is captured at once is", () => {
  for (const [capture_delay_hours, expected] of [
    [0, true],
    [1, false],
    [24, false],
  ] as const)
    assert.equal(openAdyen({ ...ACCOUNT, capture_delay_hours }).capabilities.refundBeforeSettlement, expected);
});
