// Generated transactions for properties of the rules: a charge and what may have followed it, over days and changes of the
// schedule, as the rules themselves let it by.

import fc from "fast-check";
import { PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import type { Terms } from "./actions.ts";
import { balances, leftOf, type Phase } from "./balances.ts";
import { type Ask, decideFollowUp } from "./follow-up.ts";
import { type Amount, amountOf, lesser, minus, sum } from "./money.ts";
import type { Refused } from "./refusal.ts";
import type { Capabilities } from "./ruling.ts";
import { defaultSchedule, type Schedule, settlementTimes } from "./settlement.ts";
import { type Event, type FollowUpType, type Outcome, type Share, type Transaction, withEvent } from "./transaction.ts";

export const MOMENT_MS = 1;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const SCHEDULES: readonly Schedule[] = [
  defaultSchedule("CAD"),
  { auto_capture_at: null, cutoff_at: "18:00", settled_at: "22:00", visible_at: "22:20" },
  { auto_capture_at: null, cutoff_at: "00:00", settled_at: "23:00", visible_at: "22:00" },
];
const ENDINGS = ["approved", "approved", "approved", "declined", "pending", "not-sent"] as const;

const percent = fc.integer({ min: 1, max: 100 });
const step = fc.record({
  type: fc.constantFrom<FollowUpType>("capture", "void", "refund"),
  /** Of all that is left. */
  percent: fc.oneof(fc.constant(100), percent),
  ending: fc.constantFrom(...ENDINGS),
  afterMinutes: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3_000 })),
  schedule: fc.constantFrom(...SCHEDULES),
});
export const history = fc.record({
  charge: fc.constantFrom("sale", "auth"),
  currency: fc.constantFrom("CAD", "CAD", "USD"),
  /** Few cents, so that every amount and every way to share it can be asked for. */
  parts: fc.constantFrom("10", "1", "10=6+4"),
  ending: fc.constantFrom("", "", "", " declined", " pending"),
  schedule: fc.constantFrom(...SCHEDULES),
  steps: fc.array(step, { maxLength: 6 }),
  /** So many events there are in all, where it is more: tries that came to nothing. */
  crowd: fc.oneof(
    { weight: 60, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(499, 500, 519, 520) },
  ),
  capabilities: fc.record({
    partialVoid: fc.boolean(),
    multipleCaptures: fc.boolean(),
    refundBeforeSettlement: fc.boolean(),
  }),
  /** Which of the instants at which something changes, and how far from it. */
  instant: fc.nat(),
  offMs: fc.constantFrom(-MOMENT_MS, 0, MOMENT_MS, 30 * MINUTE_MS),
});
type Drawn = typeof history extends fc.Arbitrary<infer T> ? T : never;

export interface History {
  readonly transaction: Transaction;
  readonly terms: Terms;
  readonly now: Date;
  /** Of captured money something is left whose window it is. */
  readonly inWindow: boolean;
  readonly inFlight: boolean;
}

export function historyOf({
  charge,
  currency,
  parts,
  ending,
  schedule,
  steps,
  crowd,
  capabilities,
  instant,
  offMs,
}: Drawn): History {
  const bare = told(`${currency} ${charge} ${parts}${ending}`);
  let transaction: Transaction = { ...bare, events: [scheduled(bare.events[0], schedule)] };
  let now = bare.createdAt;
  for (const [index, { type, percent, ending, afterMinutes, schedule }] of steps.entries()) {
    now = new Date(now.getTime() + afterMinutes * MINUTE_MS);
    const most = shareOut(type, transaction, undefined, capabilities, now);
    const all = most.kind === "ask" ? most.amount : bare.events[0].amount;
    const part = amountOf((all * BigInt(percent) + 99n) / 100n);
    const decision = shareOut(type, transaction, part, capabilities, now);
    if (decision.kind === "refused") continue;
    const event: Event = {
      ...bare.events[0],
      id: `01970000-0000-7000-8000-0000000003${index.toString().padStart(2, "0")}`,
      sequence: transaction.events.length + 1,
      type,
      amount: decision.amount,
      shares: decision.shares,
      createdAt: now,
      outcome: ending === "pending" ? null : outcome(ending, now),
    };
    transaction = withEvent(transaction, scheduled(event, schedule));
  }
  transaction = crowded(transaction, crowd, now);
  const instants = [now, ...instantsOf(transaction, now)];
  const chosen = instants[instant % instants.length] ?? now;
  const looked = new Date(Math.max(now.getTime(), chosen.getTime() + offMs));
  const inWindow = leftOf(balances(transaction, looked, "reserved"), "window") > 0n;
  const inFlight = transaction.events.some(({ outcome }) => outcome === null);
  return { transaction, terms: { capabilities, schedule, cardNumber: "not wanted" }, now: looked, inWindow, inFlight };
}

function crowded(transaction: Transaction, crowd: number, at: Date): Transaction {
  const [first, ...rest] = transaction.events;
  const tries = Array.from({ length: Math.max(0, crowd - transaction.events.length) }, (_, index): Event => {
    const sequence = transaction.events.length + index + 1;
    const id = `01970000-0000-7000-8000-000000004${sequence.toString().padStart(3, "0")}`;
    return { ...first, id, sequence, type: "capture", createdAt: at, outcome: outcome("declined", at) };
  });
  return { ...transaction, events: [first, ...rest, ...tries] };
}

const outcome = (kind: Outcome["kind"], at: Date): Outcome =>
  kind === "approved"
    ? { kind, at, processorResponse: PROCESSOR_RESPONSE, settlement: null }
    : { kind, at, processorResponse: PROCESSOR_RESPONSE };

/** The times in force when its money was captured or given back. */
function scheduled(event: Event, schedule: Schedule): Event {
  const { type, outcome, createdAt } = event;
  if (outcome?.kind !== "approved" || type === "auth" || type === "void") return event;
  return { ...event, outcome: { ...outcome, settlement: settlementTimes(schedule, createdAt) } };
}

/** All at which the clock could change anything from here on, in their order, and a day long after the last. */
export function instantsOf({ events }: Transaction, from: Date): readonly Date[] {
  const instants = events.flatMap(({ outcome }) => {
    const times = outcome?.kind === "approved" ? outcome.settlement : null;
    return times === null ? [] : [times.cutoffAt, times.settledAt, times.visibleAt];
  });
  const last = Math.max(from.getTime(), ...instants.map((instant) => instant.getTime()));
  return [...instants, new Date(last + 100 * DAY_MS)]
    .filter((one) => one > from)
    .sort((a, b) => a.getTime() - b.getTime());
}

/**
 * What the rules say of this amount, or of all that is left, in whichever way it is shared out between passengers: a
 * refusal only if every way is refused.
 */
export function shareOut(
  type: FollowUpType,
  transaction: Transaction,
  amount: Amount | undefined,
  capabilities: Capabilities,
  now: Date,
): Ask | Refused {
  const { passengers } = transaction;
  if (passengers === null) return decideFollowUp(type, transaction, { amount, shares: undefined }, capabilities, now);
  const decisions = WAYS[type].flatMap((phases, way) => {
    const left = passengers.map(({ id }) => {
      const money = balances(transaction, now, "reserved", id);
      const uncaptured = type === "refund" ? [] : [money.uncaptured];
      return { id, most: sum([...uncaptured, ...phases.map((phase) => leftOf(money, phase))]) };
    });
    const most = sum(left.map((one) => one.most));
    if (most === 0n && way > 0) return [];
    // Of nothing left nothing can be asked for: all that there ever was is asked for instead.
    const everything = passengers.map(({ id, fares }) => ({ id, most: fares }));
    const all = amount ?? (most > 0n ? most : sum(everything.map((one) => one.most)));
    const shares = sharesOf(all, most > 0n ? left : everything);
    return [decideFollowUp(type, transaction, { amount: all, shares }, capabilities, now)];
  });
  return decisions.find(({ kind }) => kind === "ask") ?? (decisions[0] as Ask | Refused);
}

/** To one after the other what is his; what fits nobody goes to the last, so that a rule has to refuse it. */
function sharesOf(amount: Amount, left: readonly { readonly id: string; readonly most: Amount }[]): readonly Share[] {
  let rest = amount;
  const shares = left.map(({ id, most }, index) => {
    const part = index === left.length - 1 ? rest : lesser(rest, most);
    rest = minus(rest, part);
    return { passengerId: id, amount: part };
  });
  return shares.filter((share) => share.amount > 0n);
}

/** Where the money may come from. */
const WAYS: Record<FollowUpType, readonly (readonly Phase[])[]> = {
  capture: [[]],
  void: [["open", "window"]],
  refund: [["open", "window", "settled"], ["window", "settled"], ["settled"]],
};
