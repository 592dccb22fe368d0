import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { history, historyOf } from "../../../test/fixtures/histories.ts";
import { at, told } from "../../../test/transactions.ts";
import { settlementOf } from "../../payment/outcome.ts";
import { STATUSES } from "../../payment/status.ts";
import { EVENT_TYPES, type Transaction } from "../../payment/transaction.ts";
import { fulfilsEvent, isPending, settledSince, standingOf, standingRecorded } from "./standing.ts";
import { hasEvent } from "./with-event.ts";

const DAY_MS = 86_400_000;

/** As PostgreSQL gathers it. */
const recorded = ({ events }: Transaction): string[] =>
  events.map(({ type, outcome }) => {
    const settlement = settlementOf(outcome);
    const times = settlement ? ` ${settlement.cutoffAt.getTime()} ${settlement.visibleAt.getTime()}` : "";
    return `${type} ${outcome?.kind ?? "none"}${times}`;
  });

describe("a standing", () => {
  test("fulfils what the rule says that the transaction does, at any time, and as well when it is long settled", () => {
    const wanted = fc.record(
      { type: fc.constantFrom(...EVENT_TYPES), is: fc.constantFrom(...STATUSES) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(history, wanted, (drawn, { type, is }) => {
        const { transaction, now } = historyOf(drawn);
        const filter = { ...(type && { type }), ...(is && { status: { is, at: now } }) };
        const standing = standingOf(transaction);
        assert.equal(fulfilsEvent(standing, filter), hasEvent(filter)(transaction));
        assert.equal(fulfilsEvent(settledSince(standing, now), filter), hasEvent(filter)(transaction));
        if (!transaction.events.some((event) => event.type === "void"))
          assert.equal(standingRecorded(recorded(transaction)), standing);
      }),
      { numRuns: 500 },
    );
  });

  const rows: readonly (readonly [Transaction, string])[] = [
    [told("USD sale 100 declined"), "sale declined"],
    [told("USD auth 100", "void 100"), "auth voided,void voided"],
    [told("USD sale 100 declined", "sale 100 pending"), "sale pending"],
    [told("USD auth 100", "capture 60 declined", "capture 60 declined"), "auth authorized,capture declined"],
    [told("USD sale 100 failed-after-all"), "sale declined"],
    [told("USD sale 100 at 1 12:00"), `sale ${at("1 22:00").getTime()} ${at("2 02:20").getTime()}`],
  ];
  for (const [transaction, standing] of rows)
    test(`of events that responses show: ${standing}`, () => assert.equal(standingOf(transaction), standing));

  test("says no more than settled once it is, to the millisecond", () => {
    const standing = standingOf(told("USD sale 100 at 1 12:00", "refund 10 at 3 12:00"));
    assert.match(standing, /^refund \d+ \d+,sale \d+ \d+$/);
    const [settled, before] = [at("2 02:20"), new Date(at("2 02:20").getTime() - 1)];
    assert.equal(settledSince(standing, before), standing);
    assert.match(settledSince(standing, settled), /^refund \d+ \d+,sale settled$/);
    assert.equal(settledSince(standing, new Date(settled.getTime() + 9 * DAY_MS)), "refund settled,sale settled");
  });

  test("is pending while an event has no outcome, and not while money waits for its settlement", () => {
    assert.ok(isPending(standingOf(told("USD sale 100 pending"))));
    assert.ok(isPending(standingOf(told("USD auth 100", "capture 100 pending", "void 10 declined"))));
    assert.ok(!isPending("sale pending_settlement"));
    assert.ok(!isPending(standingOf(told("USD sale 100"))));
  });

  test("of words that nobody knows is a fault", () => {
    assert.throws(() => standingRecorded(["sale lost"]));
    assert.throws(() => standingRecorded(["sail approved"]));
  });
});
