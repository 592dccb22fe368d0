import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at, PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import { defaultSchedule, type Schedule, settlementTimes } from "../payment/settlement.ts";
import { type Event, newestOf, type Transaction } from "../payment/transaction.ts";
import type { Answer } from "../processors/processor.ts";
import { conclusionOf, neverAnswered, neverAsked, notBefore, outcomeOf } from "./outcome.ts";

const NOW = at("1 12:00");
const SCHEDULE = defaultSchedule("USD");
const processorResponse = PROCESSOR_RESPONSE;
const ITS_OWN = { cutoffAt: at("3 00:00"), settledAt: at("5 10:00"), visibleAt: at("5 10:00") };

describe("what an answer comes to", () => {
  const outcome = (charge: string, answer: Answer) => {
    const transaction = told(`USD ${charge}`);
    return outcomeOf({ transaction, event: transaction.events[0] }, answer, SCHEDULE, NOW);
  };

  test("an approval settles when the processor says, or else by the record's schedule; an auth does not", () => {
    const approved = { kind: "approved", processorResponse } as const;
    const own = outcome("sale 100 pending", { ...approved, settlement: ITS_OWN });
    assert.deepEqual(own, { ...approved, at: NOW, settlement: ITS_OWN });
    const usual = outcome("sale 100 pending", approved);
    assert.deepEqual(usual, { ...approved, at: NOW, settlement: settlementTimes(SCHEDULE, NOW) });
    const auth = outcome("auth 100 pending", { ...approved, settlement: ITS_OWN });
    assert.deepEqual(auth, { ...approved, at: NOW, settlement: null });
  });

  test("a capture and a refund settle like a sale, and a void does not", () => {
    const settlementOfLast = (step: string) => {
      const transaction = told("USD auth 100", "capture 60", step);
      const event = newestOf(transaction);
      const outcome = outcomeOf({ transaction, event }, { kind: "approved", processorResponse }, SCHEDULE, NOW);
      return outcome?.kind === "approved" && outcome.settlement;
    };
    const usual = settlementTimes(SCHEDULE, NOW);
    const steps = ["capture 40 pending", "refund 60 pending", "void 40 pending"];
    assert.deepEqual(steps.map(settlementOfLast), [usual, usual, null]);
  });

  test("where nothing was sent, a charge has the result of its 3-D Secure data, and a follow-up has none", () => {
    const plain = told("USD auth 100", "void 100 pending");
    const threeDSecure = { xid: "eA==", eci: "06", cavv: "eA==", status: "A" } as const;
    const [charge, cancel] = plain.events;
    assert.ok(cancel);
    const resultOf = (transaction: Transaction, event: Event) =>
      neverAsked({ transaction, event }, NOW).processorResponse.threeDSecure;
    const secured = { ...plain, threeDSecure };
    const results = [resultOf(secured, charge), resultOf(plain, charge), resultOf(secured, cancel)];
    assert.deepEqual(results, ["attempted", null, null]);
  });

  test("an approved auth waits for its automatic capture where the record has a time of it, and nothing else does", () => {
    const approved = { kind: "approved", at: NOW, processorResponse, settlement: null } as const;
    const declined = { kind: "declined", at: NOW, processorResponse, category: "refused" } as const;
    const at21 = { ...SCHEDULE, auto_capture_at: "21:00" };
    const waits = (charge: string, outcome: typeof approved | typeof declined, schedule: Schedule | undefined) => {
      const transaction = told(`USD ${charge} pending`);
      return conclusionOf(transaction, transaction.events[0], outcome, schedule).awaitsCapture;
    };
    assert.equal(waits("auth 100", approved, at21), true);
    assert.equal(waits("auth 100", approved, { ...at21, auto_capture_at: null }), false);
    assert.equal(waits("auth 100", approved, undefined), false);
    assert.equal(waits("auth 100", declined, at21), false);
    assert.equal(waits("sale 100", approved, at21), false);
  });

  test("a decline keeps its category, and one that says already settled is that", () => {
    const declined = { kind: "declined", processorResponse, category: "try-later" } as const;
    assert.deepEqual(outcome("sale 100 pending", declined), { ...declined, at: NOW });
    const settled = outcome("sale 100 pending", { ...declined, category: "already-settled" });
    assert.deepEqual(settled, { kind: "already-settled", at: NOW, processorResponse });
  });

  test("what no table takes of a processor's words is a space, and digits where a card number stands among them are hidden", () => {
    const said = {
      ...processorResponse,
      message: "No\u0000pe\r\nX: y \ud800",
      transactionId: "T\u00001",
      detail: "card 4111 1111 1111 1111 is lost",
    };
    const kept = {
      ...processorResponse,
      message: "No pe X: y  ",
      transactionId: "T 1",
      detail: "card **** **** **** **** is lost",
    };
    for (const answer of [
      { kind: "approved", processorResponse: said },
      { kind: "declined", processorResponse: said, category: "refused" },
      { kind: "declined", processorResponse: said, category: "already-settled" },
      { kind: "action-required", processorResponse: said },
    ] as const)
      assert.deepEqual(outcome("sale 100 pending", answer)?.processorResponse, kept);
  });

  test("what is pending has no outcome, of charges either", () => {
    assert.equal(outcome("sale 100 pending", { kind: "pending", why: "accepted" }), undefined);
  });

  test("an action that is required ends a charge, which is then taken back; nothing else wants one", () => {
    const required = { kind: "action-required", processorResponse } as const;
    const transaction = told("USD auth 100 pending");
    const [event] = transaction.events;
    const ended = outcome("auth 100 pending", required);
    assert.deepEqual(ended, { ...required, at: NOW });
    assert.equal(conclusionOf(transaction, event, { ...required, at: NOW }, SCHEDULE).remedy, "reverse");
    const captured = told("USD auth 100", "capture 100 pending");
    const capture = captured.events[1];
    assert.ok(capture);
    assert.equal(outcomeOf({ transaction: captured, event: capture }, required, SCHEDULE, NOW)?.kind, "declined");
  });
});

describe("whatever the clocks of several machines say", () => {
  test("a time is never before the one before it", () => {
    const [early, late] = [new Date(1), new Date(2)];
    assert.deepEqual([notBefore(early, late), notBefore(late, early)], [late, late]);
  });

  test("an outcome is no older than those before it, and money settles by the own clock", () => {
    const transaction = told("USD auth 100 at 1 22:00", "capture 60 pending at 1 22:00");
    const [, event] = transaction.events;
    assert.ok(event);
    const asked = { transaction, event };
    const answers: readonly Answer[] = [
      { kind: "approved", processorResponse },
      { kind: "declined", processorResponse, category: "refused" },
      { kind: "action-required", processorResponse },
      { kind: "not-sent", why: "" },
    ];
    const ends = answers.map((answer) => outcomeOf(asked, answer, SCHEDULE, NOW));
    const times = [...ends, neverAnswered(asked, NOW), neverAsked(asked, NOW)].map((end) => end?.at);
    assert.deepEqual(times, Array(6).fill(at("1 22:00")));
    const [approved] = ends;
    assert.ok(approved?.kind === "approved");
    assert.deepEqual(approved.settlement, settlementTimes(SCHEDULE, NOW));
  });

  test("the first is as old as it is: an authorization is captured at the next time after it", () => {
    const transaction = told("USD auth 100 pending at 1 22:00");
    const end = outcomeOf(
      { transaction, event: transaction.events[0] },
      { kind: "approved", processorResponse },
      SCHEDULE,
      NOW,
    );
    assert.deepEqual(end?.at, NOW);
  });
});
