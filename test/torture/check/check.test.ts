// The checker is told of every way in which the accounts of clients, journal and host can disagree, and says so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsOf, agreeing, type Draft } from "./accounts.fixture.ts";
import { check } from "./check.ts";
import type { Rule } from "./finding.ts";

const rulesBroken = (draft: Draft): readonly Rule[] =>
  [...new Set(check(accountsOf(draft)).map(({ rule }) => rule))].sort();

/** By what `accounts.fixture.ts` puts in, in its order. */
const EVENT = { sale: 0, refund: 1, unanswered: 2, declined: 3, notSent: 4, captured: 6 } as const;
const LINE = { sale: 0, refund: 1, unanswered: 2, reversal: 3, declined: 4, auth: 5, capture: 6 } as const;

function event(draft: Draft, index: number): Draft["events"][number] {
  const found = draft.events[index];
  assert.ok(found);
  return found;
}
function line(draft: Draft, index: number): Draft["booked"][number] {
  const found = draft.booked[index];
  assert.ok(found);
  return found;
}
const outcome = (draft: Draft, index: number, over: object) => {
  const one = event(draft, index);
  assert.ok(one.outcome);
  one.outcome = { ...one.outcome, ...over };
};

test("accounts that agree break no rule", () => {
  assert.deepEqual(check(accountsOf(agreeing())), []);
});

test("an automatic capture that failed may be tried again", () => {
  const draft = agreeing();
  const captured = event(draft, EVENT.captured);
  const failed = { ...captured, id: "event-5-0", processorId: "elsewhere" };
  assert.ok(failed.outcome);
  failed.outcome = { ...failed.outcome, kind: "not-sent" };
  captured.sequence = 3;
  draft.events.splice(EVENT.captured, 0, failed);
  assert.deepEqual(check(accountsOf(draft)), []);
});

test("what an operator entered as declined is declined in the books, or not in them", () => {
  for (const books of ["declined", "nothing"] as const) {
    const draft = agreeing();
    outcome(draft, EVENT.declined, { code: "NO" });
    if (books === "nothing") draft.booked.splice(LINE.declined, 1);
    assert.ok(!rulesBroken(draft).includes("guessed"), books);
  }
  const draft = agreeing();
  outcome(draft, EVENT.refund, { kind: "declined", code: "NO" });
  assert.ok(rulesBroken(draft).includes("guessed"));
});

const DISAGREEMENTS: readonly (readonly [what: string, rules: readonly Rule[], change: (draft: Draft) => void])[] = [
  [
    "an acknowledged event is not in the journal",
    ["differs", "lost"],
    (draft) => void draft.events.splice(EVENT.refund, 1),
  ],
  ["an acknowledged key is not in the journal", ["doubled", "lost"], (draft) => void draft.keys.splice(0, 1)],
  [
    "another outcome than the one that was told",
    ["guessed", "lost"],
    (draft) => outcome(draft, EVENT.declined, { code: "51" }),
  ],
  [
    "two answers under one key",
    ["lost"],
    (draft) => {
      const [request] = draft.requests;
      assert.ok(request);
      request.answers = [...request.answers, ...request.answers.map((one) => ({ ...one, text: `${one.text} ` }))];
    },
  ],
  [
    "a refusal of an operation that was done",
    ["lost"],
    (draft) => {
      const [, request] = draft.requests;
      assert.ok(request);
      request.answers = [{ node: 0, status: 422, replayed: false, text: "" }];
    },
  ],
  [
    "a client that was never answered",
    ["open"],
    (draft) => {
      const [request] = draft.requests;
      assert.ok(request);
      request.answers = [];
    },
  ],
  ["an event that nobody asked for", ["doubled"], (draft) => void draft.keys.splice(EVENT.refund, 1, ...[])],
  [
    "a second automatic capture",
    ["doubled"],
    (draft) => {
      const captured = event(draft, EVENT.captured);
      draft.events.push({ ...captured, id: "event-5-3", sequence: 3, processorId: "elsewhere" });
    },
  ],
  ["an operation booked twice", ["differs", "doubled"], (draft) => void draft.booked.push(line(draft, LINE.refund))],
  ["a capture booked twice", ["doubled"], (draft) => void draft.booked.push(line(draft, LINE.capture))],
  [
    "an amount booked differently",
    ["differs"],
    (draft) => {
      line(draft, LINE.refund).amount = 401n;
    },
  ],
  [
    "a booking that the journal knows nothing of",
    ["differs"],
    (draft) => void draft.booked.push({ ...line(draft, LINE.capture), reference: "UNKNOWN" }),
  ],
  ["an approval without a booking", ["differs", "guessed"], (draft) => void draft.booked.splice(LINE.refund, 1)],
  [
    "an approval that the host declined",
    ["differs", "guessed"],
    (draft) => {
      line(draft, LINE.refund).code = "05";
    },
  ],
  [
    "a decline that the host approved",
    ["differs", "guessed"],
    (draft) => {
      line(draft, LINE.declined).code = "00";
    },
  ],
  ["a decline that the host never gave", ["guessed"], (draft) => void draft.booked.splice(LINE.declined, 1)],
  ["nothing sent, and booked", ["guessed"], (draft) => outcome(draft, EVENT.refund, { kind: "not-sent" })],
  [
    "an approved charge taken back",
    ["differs"],
    (draft) => void draft.booked.push({ ...line(draft, LINE.sale), operation: "reversal" }),
  ],
  [
    "an unanswered charge that is not taken back",
    ["differs", "open"],
    (draft) => void draft.booked.splice(LINE.reversal, 1),
  ],
  [
    "an unanswered charge approved after it was taken back",
    ["differs"],
    (draft) => {
      const reversal = line(draft, LINE.reversal);
      reversal.at = new Date(line(draft, LINE.unanswered).at.getTime() - 1);
    },
  ],
  [
    "an event without an outcome",
    ["open"],
    (draft) => {
      event(draft, EVENT.notSent).outcome = null;
    },
  ],
];

for (const [what, rules, change] of DISAGREEMENTS)
  test(`${what}: found`, () => {
    const draft = agreeing();
    change(draft);
    const found = rulesBroken(draft);
    for (const rule of rules) assert.ok(found.includes(rule), `${rule} is not among ${found}`);
  });
