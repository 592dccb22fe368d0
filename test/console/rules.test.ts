// What the console decides by itself, without a browser: how a search word is read, where a transaction's money stands, what a
// dialog sends, and what the code of the bench looks like.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { withoutTurns } from "../../console/src/api/directions.ts";
import { hasItsEnd, mayBeDone } from "../../console/src/api/new-key.ts";
import { ASKED_AGAIN, passes } from "../../console/src/api/passing.ts";
import { sumsOf } from "../../console/src/batches/sums.ts";
import { sampleOf } from "../../console/src/bench/samples.ts";
import { periodOf, stepsOf } from "../../console/src/overview/steps.ts";
import {
  conditionsOf,
  draftOf,
  drawnFirst,
  moved,
  type Rule,
  requestOf,
  wrongIn,
} from "../../console/src/routing/rules.ts";
import { triedIn } from "../../console/src/routing/tried.ts";
import { nextAt, sayNow, settlementDay } from "../../console/src/settlement/day.ts";
import { daysOf } from "../../console/src/settlement/parts.ts";
import { fieldsFor, sharesFor, typed } from "../../console/src/transaction/follow-ups.ts";
import { addressOf, filtersIn, labelOf, pageIn } from "../../console/src/transactions/filters.ts";
import { readingsOf } from "../../console/src/transactions/search-words.ts";
import { attemptOf } from "../../console/src/words/answers.ts";
import { decimalOf, grouped, hundredthsOf } from "../../console/src/words/money.ts";
import { divided, statusOfTransaction } from "../../console/src/words/status.ts";
import { typedAmount } from "../../console/src/words/typed.ts";
import { apiError, ConnectionError } from "../../packages/client/src/errors.ts";
import type { Event, Passenger } from "../../packages/client/src/openapi.ts";

const first = (word: string) => {
  const [reading] = readingsOf(word);
  if (reading === undefined) return undefined;
  return [reading.what, reading.finds.kind === "filters" ? addressOf(reading.finds.filters) : reading.finds.id];
};

test("a search word is taken for what its form says", () => {
  const id = "01a1fc78-74e7-70e2-aa42-3e641d9994fb";
  for (const [word, expected] of [
    ["order-1001", ["Order number begins with", "merchant_transaction_id=order-1001"]],
    ["jane@example.com", ["E-mail begins with", "email=jane%40example.com"]],
    ["1111", ["Last four digits", "last_four=1111"]],
    ["411111", ["First six digits", "card_number=411111********"]],
    ["411111******1111", ["Card", "card_number=411111********&last_four=1111"]],
    ["12.34", ["Amount", "amount=12.34"]],
    ["1,234.50", ["Amount", "amount=1234.50"]],
    ["1 234.50", ["Amount", "amount=1234.50"]],
    ["1\u202f234.5", ["Amount", "amount=1234.50"]],
    ["CAD 1,234", ["Amount", "amount=1234.00&currency=CAD"]],
    ["•••• 1111", ["Last four digits", "last_four=1111"]],
    ["12.34 cad", ["Amount", "amount=12.34&currency=CAD"]],
    ["2031-05-01", ["Day", "created_at_gte=2031-05-01+00%3A00%3A00&created_at_lte=2031-05-01+23%3A59%3A59"]],
    ["0141234567890", ["Ticket number", "ticket_number=0141234567890"]],
    ["DOE/JANE", ["Passenger begins with", "passenger_name=DOE%2FJANE"]],
    [id.toUpperCase(), ["Transaction", id]],
  ] as const)
    assert.deepEqual(first(word), expected, word);
  const others = readingsOf("UHNC4E").map(({ what }) => what);
  assert.ok(others.includes("Authorization code"), others.join());
});

test("what could be a whole card number is no search word, however it is written", () => {
  for (const word of ["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", " 378282246310005 "])
    assert.deepEqual(readingsOf(word), [], word);
});

test("a view's address gives its filters and page again, and nothing that is no filter", () => {
  const filters = { last_name: "Doe", email: "a+b@example.com", created_at_gte: "2031-05-01 00:00:00" };
  assert.deepEqual(filtersIn(addressOf(filters, 3)), filters);
  assert.equal(pageIn(addressOf(filters, 3)), 3);
  assert.deepEqual(filtersIn("page=2&serach=x&status="), {});
  for (const page of ["page=0", "page=-1", "page=x", ""]) assert.equal(pageIn(page), 1);
});

test("a filter that is chosen among words says its word", () => {
  assert.equal(labelOf("status", "pending_settlement"), "With an event that is: Before cut-off");
  assert.equal(labelOf("event_type", "refund"), "With an event: Refund");
});

test("amounts are the same after they were read and written", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_900 }),
      (hundredths) => hundredthsOf(decimalOf(hundredths)) === hundredths,
    ),
  );
  assert.deepEqual(
    ["1234567.50", "999.00", "-1000.10"].map((amount) => grouped(amount)),
    ["1,234,567.50", "999.00", "-1,000.10"],
  );
  assert.deepEqual([grouped("1000.00", "JPY"), grouped("1000.00", "CAD")], ["1,000", "1,000.00"]);
  assert.deepEqual(["12", "12.5", " 1,234.50 "].map(typedAmount), ["12.00", "12.50", "1234.50"]);
  for (const wrong of ["", "12,5", "1.234", "-1", "1e3", "٣"]) assert.equal(typedAmount(wrong), undefined, wrong);
});

test("what was authorized divides without rest into kept, open, voided and refunded", () => {
  const amounts = fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: 100_000 })));
  fc.assert(
    fc.property(amounts, ([kept = 0, open = 0, voided = 0, refunded = 0]) => {
      const [authorized, captured] = [kept + open + voided + refunded, kept + refunded];
      const found = divided(authorized, captured, voided, refunded);
      assert.deepEqual([found.kept, found.open, found.voided, found.refunded], [kept, open, voided, refunded]);
    }),
  );
});

const event = (event_type: Event["event_type"], status: Event["status"], amount = "10.00"): Event =>
  ({ event_type, status, amount, success: !["declined", "error", "pending"].includes(status) }) as Event;

test("a transaction's status in a word", () => {
  const newestFirst = (...events: readonly Event[]) => statusOfTransaction({ events: events.toReversed() }).word;
  for (const [word, ...events] of [
    ["Declined", event("sale", "declined")],
    ["No answer", event("sale", "error")],
    ["Authorized", event("auth", "authorized")],
    ["Captured", event("auth", "authorized"), event("capture", "pending_settlement")],
    ["Settling", event("sale", "unsettled")],
    ["Settled", event("sale", "settled")],
    ["Voided", event("sale", "voided"), event("void", "voided")],
    ["Settled", event("sale", "settled"), event("refund", "declined")],
    ["Partly refunded", event("sale", "settled"), event("refund", "settled", "4.00")],
    ["Refunded", event("sale", "settled"), event("refund", "settled")],
    ["In doubt", event("sale", "settled"), event("refund", "pending")],
  ] as const)
    assert.equal(newestFirst(...events), word, word);
});

const passenger = (id: string, ...[authorized = "", captured = "", voided = "", refunded = ""]: string[]): Passenger =>
  ({ id, passenger_name: id, totals: { authorized, captured, voided, refunded } }) as Passenger;

test("a dialog offers each passenger what is left of that passenger's money", () => {
  const all = [
    passenger("captured", "100.00", "100.00", "0.00", "30.00"),
    passenger("open", "50.00", "0.00", "0.00", "0.00"),
    passenger("gone", "20.00", "20.00", "0.00", "20.00"),
  ];
  const offered = (operation: "capture" | "void" | "refund", left: number) =>
    sharesFor(operation, all, left).map(({ passenger: { id }, most }) => `${id} ${most}`);
  assert.deepEqual(offered("capture", 5_000), ["open 5000"]);
  assert.deepEqual(offered("void", 12_000), ["captured 7000", "open 5000"]);
  assert.deepEqual(offered("refund", 7_000), ["captured 7000"]);
  assert.deepEqual(offered("refund", 10_000), ["captured 7000", "open 3000"], "30.00 have no name");
  assert.deepEqual(offered("refund", 12_000), ["captured 7000", "open 5000"]);
});

test("a dialog sends no more than is left, by passenger where there are any, and a reversal without an amount", () => {
  assert.deepEqual(typed("10.01", 1_000), { kind: "wrong", words: "At most 10.00" });
  assert.deepEqual(typed("0", 1_000), { kind: "wrong", words: "More than 0.00" });
  assert.deepEqual(typed("10", 1_000), { kind: "amount", hundredths: 1_000 });
  assert.deepEqual(fieldsFor("refund", 1_000, undefined), { amount: "10.00" });
  assert.deepEqual(fieldsFor("refund", 1_000, new Map([["a", 1_000]])), {
    amount: "10.00",
    passenger_transport: [{ passenger_id: "a", amount: "10.00" }],
  });
  assert.deepEqual(fieldsFor("reversal", 1_000, undefined), {});
});

test("the clock is moved to the next instant of that time of day, never back", () => {
  const at = (now: string, time: string) => nextAt(new Date(now), time).toISOString();
  assert.equal(at("2031-05-01T21:59:59Z", "22:00"), "2031-05-01T22:00:00.000Z");
  assert.equal(at("2031-05-01T22:00:00Z", "22:00"), "2031-05-02T22:00:00.000Z");
  assert.equal(at("2031-12-31T23:00:00Z", "02:20"), "2032-01-01T02:20:00.000Z");
});

const CANADIAN = { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };

test("a settlement day goes from one moment at which settled money shows to the next", () => {
  const day = settlementDay(CANADIAN, new Date("2031-05-01T21:00:00Z"));
  assert.equal(day.begins.toISOString(), "2031-05-01T02:20:00.000Z");
  const marks = [day.cutoff, day.ends, ...day.others].map(({ at, place }) => `${at.toISOString()} ${place.toFixed(3)}`);
  assert.deepEqual(marks, [
    "2031-05-01T22:00:00.000Z 0.819",
    "2031-05-02T02:20:00.000Z 1.000",
    "2031-05-01T20:30:00.000Z 0.757",
    "2031-05-02T02:00:00.000Z 0.986",
  ]);
  assert.match(sayNow(day), /Until the cut-off/);
  assert.match(sayNow(settlementDay(CANADIAN, new Date("2031-05-01T23:59:00Z"))), /in progress/);
  const after = settlementDay(CANADIAN, new Date("2031-05-02T02:20:00Z"));
  assert.deepEqual([after.begins.toISOString(), after.now.place], ["2031-05-02T02:20:00.000Z", 0]);
});

test("a period has each of its steps once, and begins with whole ones", () => {
  const steps = (from: string, to: string, step: "hour" | "day" | "month") =>
    stepsOf(new Date(from), new Date(to), step).map((at) => at.toISOString().slice(0, 13));
  assert.deepEqual(steps("2031-05-01T22:10:00Z", "2031-05-02T01:00:00Z", "hour"), [
    "2031-05-01T22",
    "2031-05-01T23",
    "2031-05-02T00",
  ]);
  assert.deepEqual(steps("2032-02-28T00:00:00Z", "2032-03-02T00:00:00Z", "day").length, 3);
  assert.deepEqual(steps("2031-11-15T00:00:00Z", "2032-02-01T00:00:00Z", "month"), [
    "2031-11-01T00",
    "2031-12-01T00",
    "2032-01-01T00",
  ]);
  assert.deepEqual(periodOf({ name: "7 days", days: 7 }, new Date("2031-03-03T10:00:00Z")), {
    from: "2031-02-25",
    to: "2031-03-03",
  });
});

test("the bench's curl sends each field as it was typed, whatever is in it", () => {
  const fields = { amount: "1.00", merchant_transaction_id: "it's $HOME & `more`" };
  const sample = sampleOf("curl", { gateway: "http://127.0.0.1:1", operation: "sale", fields });
  const shell = `curl() { for word in "$@"; do printf '%s\\n' "$word"; done; }; uuidgen() { echo key; }; TOKEN=t\n${sample}`;
  const words = execFileSync("sh", ["-c", shell], { encoding: "utf8" }).split("\n");
  for (const [name, value] of Object.entries(fields)) assert.ok(words.includes(`${name}=${value}`), sample);
  assert.ok(words.includes("http://127.0.0.1:1/api/transactions/sale"));
  for (const language of ["TypeScript", "Python", "PHP"] as const)
    assert.match(sampleOf(language, { gateway: "http://127.0.0.1:1", operation: "sale", fields }), /it\\?'s \$HOME/);
});

const RULE: Rule = {
  name: "All of it",
  when: {
    ...{ currencies: ["CAD", "USD"], brands: ["visa"], card_ranges: ["411111", "45-46"], countries: ["CA"] },
    ...{ amount_at_least: "1.00", amount_at_most: "500.00", airline: false },
    meta: [{ name: "channel", values: ["app, old", "kiosk"] }],
  },
  processors: [
    { id: "one", weight: 3 },
    { id: "other", weight: 1 },
  ],
};

test("a rule of routing that was opened and saved again is the same, whatever it says", () => {
  for (const rule of [RULE, { ...RULE, when: {} }, { ...RULE, when: { airline: true } }])
    assert.deepEqual(requestOf(draftOf(rule, 1)), rule);
  const typed = { ...draftOf(RULE, 1), processors: [{ id: "one", weight: "many" }] };
  assert.deepEqual((requestOf(typed) as Rule).processors, [{ id: "one", weight: "many" }]);
});

test("a rule's conditions and shares are said in words, and the API's words find their field", () => {
  assert.deepEqual(conditionsOf(RULE.when), [
    ...["in CAD or USD", "Visa", "card begins with 411111 or 45-46", "billed to CA", "at least 1.00", "at most 500.00"],
    ...["without airline data", "channel is app, old or kiosk"],
  ]);
  assert.deepEqual(drawnFirst(RULE.processors), [75, 25]);
  assert.deepEqual(drawnFirst(RULE.processors.map(({ id }) => ({ id, weight: 0 }))), [100, 0]);
  assert.deepEqual(moved(["a", "b", "c"], 2, -1), ["a", "c", "b"]);
  assert.deepEqual(moved(["a", "b"], 0, -1), ["a", "b"]);
  const fields = { "rules.1.when.currencies.0": "no", "rules.1.name": "too long", "rules.10.name": "other" };
  assert.equal(wrongIn(fields, 1, "when.currencies"), "no");
  assert.equal(wrongIn(fields, 1, "name"), "too long");
  assert.equal(wrongIn(fields, 0, "name"), undefined);
});

test("a charge to try the routing with stands in the address, and is asked about once it has an amount and a card", () => {
  assert.equal(triedIn("amount=1.00").charge, undefined);
  const asked = triedIn(
    "amount=1.00&card_start=41111111&currency=cad&airline=yes&without=cvv&meta=%7B%22a%22%3A1%7D&x=1",
  );
  assert.deepEqual(asked.charge, {
    ...{ amount: "1.00", card_start: "41111111", currency: "CAD", meta: { a: 1 }, airline: true, cvv: false },
  });
});

test("a settlement day adds up the money of the processors that have it, by part", () => {
  const batch = (part: "collecting" | "settling", count: number, net: string) =>
    ({ part, count, net }) as Parameters<typeof daysOf>[0][number]["batches"][number];
  const of = (name: string, currency: string, ...batches: ReturnType<typeof batch>[]) => ({
    ...{ id: name, name, currency, schedule: CANADIAN, awaiting_capture: { count: 1, amount: "2.00" }, batches },
  });
  const days = daysOf([
    of("one", "CAD", batch("collecting", 2, "10.00"), batch("settling", 1, "-3.50")),
    of("two", "CAD", batch("collecting", 1, "0.50")),
    of("three", "USD"),
  ]);
  assert.deepEqual(
    days.map(({ names, awaiting, collecting, settling, settled }) => [names, awaiting, collecting, settling, settled]),
    [
      [
        ["one", "two"],
        { count: 2, hundredths: 400 },
        { count: 3, hundredths: 1_050 },
        { count: 1, hundredths: -350 },
        { count: 0, hundredths: 0 },
      ],
      [["three"], { count: 1, hundredths: 200 }, ...[1, 2, 3].map(() => ({ count: 0, hundredths: 0 }))],
    ],
  );
});

test("a batch's sums are exact over brands, and what it refunds is apart", () => {
  const total = (operation: "sale" | "capture" | "refund", card_brand: string, amount: string) => ({
    ...{ operation, card_brand, count: 1, amount },
  });
  const totals = [total("sale", "visa", "0.10"), total("sale", "amex", "0.20"), total("capture", "visa", "1000000.00")];
  assert.deepEqual(sumsOf({ totals: [...totals, total("refund", "visa", "7.50")] }), {
    taken: "1000000.30",
    refunded: "7.50",
  });
  assert.deepEqual(sumsOf({ totals: [] }), { taken: "0.00", refunded: "0.00" });
});

test("a processor that declined is not said to have been out of reach", () => {
  assert.deepEqual(attemptOf("Riverside", { reason: "declined" }), {
    title: "Riverside declined",
    meaning: "The charge went on to the next processor.",
  });
  assert.match(attemptOf("Riverside", { reason: "out_of_reach" }).title, /^Riverside was out of reach$/);
});

test("what turns the direction of a line shows as a sign, and letters of all directions stay", () => {
  for (const turn of ["\u202e", "\u202a", "\u202d", "\u2066", "\u2068", "\u2069"])
    assert.equal(withoutTurns(JSON.stringify({ name: `a${turn}b` })), '{"name":"a\ufffdb"}');
  for (const name of ["שלום 5", "مرحبا", "Zoë", "\u200f", "\u200d"])
    assert.equal(withoutTurns(JSON.stringify({ name })), JSON.stringify({ name }));
});

test("as long as a click may still be carried out, the next one sends the same key: a refund is not made twice", () => {
  const refused = (status: number, more: { replayed?: boolean; refusal?: string } = {}) =>
    apiError({
      ...{
        status,
        fields: {},
        code: undefined,
        refusal: undefined,
        retryAfterSeconds: undefined,
        idempotencyKey: "k",
        replayed: false,
      },
      ...{ requestId: undefined, ...more },
    });
  for (const [outcome, over, told] of [
    [{ id: "a transaction" }, true, false],
    [new ConnectionError("no whole response", "k", undefined), false, true],
    // An outcome that could not be recorded, and a proxy that heard nothing.
    [refused(500), false, true],
    [refused(500, { replayed: true }), false, true],
    [refused(502), false, true],
    [refused(504), false, true],
    [refused(409), false, true],
    [refused(422, { refusal: "key-of-another-request" }), false, true],
    // Nobody has looked at the key.
    [refused(401), false, false],
    [refused(403), false, false],
    [refused(429), false, false],
    [refused(503), false, false],
    [refused(503, { replayed: true }), true, false],
    [refused(400), true, false],
    [refused(404), true, false],
    [refused(422, { refusal: "refund-before-settlement" }), true, false],
    [refused(422, { replayed: true }), true, false],
  ] as const) {
    assert.equal(hasItsEnd(outcome), over, String(outcome));
    if (outcome instanceof Error) assert.equal(mayBeDone(outcome), told, String(outcome));
  }
});

test("what failed is asked again if the next answer may be another: when the gateway says, and after ever longer pauses", () => {
  const refused = (status: number, retryAfterSeconds?: number) =>
    apiError({
      ...{
        status,
        retryAfterSeconds,
        fields: {},
        code: undefined,
        refusal: undefined,
        idempotencyKey: undefined,
        replayed: false,
      },
      requestId: undefined,
    });
  const silence = new ConnectionError("no response", undefined, undefined);
  for (const fault of [silence, ...[429, 502, 503, 504].map((status) => refused(status))])
    assert.ok(passes(fault), fault.message);
  for (const fault of [new TypeError("a mistake"), ...[400, 401, 403, 404, 422, 500].map((status) => refused(status))])
    assert.ok(!passes(fault), fault.message);
  const pauses = [0, 1, 2, 3, 9].map((failures) => ASKED_AGAIN.retryDelay(failures, silence));
  assert.deepEqual(pauses, [5_000, 10_000, 20_000, 30_000, 30_000]);
  assert.deepEqual(
    [ASKED_AGAIN.retryDelay(0, refused(429, 60)), ASKED_AGAIN.retryDelay(3, refused(503, 1))],
    [60_000, 30_000],
  );
});
