// What the pages of disputes, the audit log and people decide by themselves, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import decodeQR from "qr/decode.js";
import { bodyOf, EMPTY } from "../../console/src/disputes/entered.ts";
import { changeOf, draftOf, settingsOf } from "../../console/src/processors/draft.ts";
import { modulesOf } from "../../console/src/sign-in/qr-modules.ts";
import { actionOf, changesOf, subjectOf } from "../../console/src/words/audit.ts";
import { dueOf } from "../../console/src/words/disputes.ts";
import { drawn } from "./drawn.ts";

test("a dispute says how much time is left, and nothing where nobody waits", () => {
  const now = new Date("2031-05-01T12:00:00Z");
  const due = (respond_by: string | null, status: "needs_response" | "under_review" = "needs_response") => {
    const { left, tone } = dueOf({ status, respond_by }, now) ?? {};
    return `${left} ${tone}`;
  };
  assert.equal(due("2031-05-10T23:59:59Z"), "in 9 days wait");
  assert.equal(due("2031-05-03T23:59:59Z"), "in 2 days bad");
  assert.equal(due("2031-05-01T14:30:00Z"), "in 2 h 30 min bad");
  assert.equal(due("2031-05-01T11:59:59Z"), "too late bad");
  assert.equal(due(null), "undefined undefined");
  assert.equal(due("2031-05-10T23:59:59Z", "under_review"), "undefined undefined");
});

test("of a dispute only what was touched is sent, an end as an outcome and a day as its last second", () => {
  const before = { ...EMPTY, amount: "12.00", reason: "Fraud", respond_by: "2031-05-31" };
  assert.deepEqual(bodyOf(before, before), {});
  assert.deepEqual(bodyOf({ ...before, state: "under_review", reason: "" }, before), { status: "under_review" });
  assert.deepEqual(bodyOf({ ...before, state: "lost", amount: " 11.00 " }, before), {
    outcome: "lost",
    amount: "11.00",
  });
  assert.deepEqual(bodyOf({ ...before, respond_by: "2031-06-01" }, before), { respond_by: "2031-06-01T23:59:59Z" });
  assert.deepEqual(bodyOf({ ...before, respond_by: "" }, before), { respond_by: null });
});

test("an entry of the audit log says in words what was done, to what, and where that is shown", () => {
  const id = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
  const of = (subject: string, after: object | null = null) =>
    subjectOf({ subject, before: null, after: after as never }).href;
  assert.equal(of(`person ${id}`, { merchant_id: null }), `/people/${id}`);
  assert.equal(of(`dispute ${id}`, { merchant_id: "m" }), `/disputes/${id}?merchant=m`);
  assert.equal(of(`unresolved event ${id}`, { merchant_id: "m", transaction_id: "t" }), "/transactions/t?merchant=m");
  assert.equal(of(`operator token ${id}`), undefined);
  assert.equal(of("clock"), undefined);
  assert.deepEqual(
    [
      "processor.change",
      "operator-token.revoke",
      "session.create",
      "POST /session",
      "POST /api/transactions/sale",
      "POST /api/transactions/:transaction_id/refund",
      "resolution.create",
    ].map((action) => actionOf({ action })),
    [
      "Processor changed",
      "Operator token revoked",
      "Signed in",
      "POST /session",
      "Charged",
      "Refunded",
      "Outcome entered",
    ],
  );
  assert.deepEqual(
    changesOf({ name: "a", limits: { a: 1 }, same: 1 }, { name: "b", limits: { a: 2 }, same: 1, more: true }),
    [
      { name: "name", was: "a", is: "b" },
      { name: "limits", was: '{"a":1}', is: '{"a":2}' },
      { name: "more", was: undefined, is: "true" },
    ],
  );
});

test("of a processor only what was changed is sent, an emptied setting as null, and a secret only when it is typed anew", () => {
  const record = {
    ...{ id: "1", name: "Acquirer", kind: "stripe", currency: "USD", enabled: true, in_rotation: true },
    requires: { cvv: ["visa"], names: false, document: false },
    settlement: { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" },
    settings: { secret_key: "•••", timeout_ms: 900, multiple_captures: true, card_brands: ["visa"] },
  };
  const schemas = {
    timeout_ms: { type: "integer" },
    connections: { type: "integer" },
    multiple_captures: { type: "boolean" },
    card_brands: { type: "array" },
  };
  const before = draftOf(record);
  assert.deepEqual(changeOf(before, record, schemas), {});
  const touched = {
    ...{ ...before, cvv: ["visa", "amex"], auto_capture_at: "", cutoff_at: " 21:00 " },
    settings: { ...before.settings, timeout_ms: "", connections: "7", multiple_captures: "false", card_brands: [] },
  };
  assert.deepEqual(changeOf(touched, record, schemas), {
    requires: { cvv: ["visa", "amex"] },
    settlement: { auto_capture_at: null, cutoff_at: "21:00" },
    settings: { timeout_ms: null, connections: 7, multiple_captures: false, card_brands: null },
  });
  assert.deepEqual(settingsOf({ secret_key: "sk_test_1234", connections: "many", timeout_ms: "" }, schemas), {
    secret_key: "sk_test_1234",
    connections: "many",
  });
});

test("a QR code says what it was made of, however long", () => {
  for (const text of [
    "otpauth://totp/Faregate:jane%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Faregate",
    "a",
    "é".repeat(200),
  ]) {
    const { path, size } = modulesOf(text);
    assert.equal(decodeQR(drawn(path, size)), text);
  }
});
