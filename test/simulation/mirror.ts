// What the model knows of each transaction, and how it follows the journal: no event may change, each new one must have
// been allowed, and each outcome must be what the processor's books say.

import assert from "node:assert/strict";
import type { Outcome } from "../../src/payment/outcome.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import type { Event, Transaction } from "../../src/payment/transaction.ts";
import type { Acquirer, Asked } from "../acquirer.ts";
import { type Fate, type Kind, type MovedMoney, settlesFrom } from "./money.ts";
import { abilitiesOf } from "./records.ts";
import type { ModelTransaction } from "./rules.ts";

export interface MirroredEvent extends MovedMoney {
  readonly id: string;
  readonly amount: number;
  readonly processorId: string;
  readonly reversal: boolean;
  readonly outcome: Outcome["kind"] | undefined;
}

export interface Mirrored extends ModelTransaction {
  readonly id: string;
  readonly events: readonly MirroredEvent[];
}

/** What is asked of the world outside the journal. */
export interface Witness {
  readonly books: Acquirer;
  readonly records: readonly ProcessorRecord[];
  /** The instant and the schedule of each answer that was given, by reference. */
  answersTo(
    reference: string,
  ): readonly { readonly asked: Asked; readonly at: number; readonly schedule: ProcessorRecord["schedule"] }[];
  /** Whether the node that asked was killed or taken for dead, or its database away. */
  doubtful(asked: Asked): boolean;
}

export function mirror(transaction: Transaction, before: Mirrored | undefined, witness: Witness): Mirrored {
  const record = witness.records.find(({ id }) => id === transaction.events[0].processorId);
  assert.ok(record, "the processor is one of the merchant's");
  const passengers = transaction.passengers?.map(({ id }) => id) ?? [];
  const fares = new Map(transaction.passengers?.map(({ id, fares }) => [id, Number(fares)]));
  const events = transaction.events.map((event, index) => {
    assert.equal(event.sequence, index + 1);
    const known = before?.events[index];
    if (known) assertSame(event, known);
    return known?.outcome === undefined ? mirroredEvent(transaction, event, fares, witness) : known;
  });
  assert.ok(events.length >= (before?.events.length ?? 0), "no event goes away");
  const charge = transaction.events.findLast(({ type }) => type === "sale" || type === "auth");
  const processor = witness.records.find(({ id }) => id === charge?.processorId) ?? record;
  return {
    id: transaction.id,
    currency: transaction.currency,
    capabilities: abilitiesOf(processor),
    passengers,
    events,
  };
}

function assertSame({ id, type, amount, outcome }: Event, known: MirroredEvent): void {
  assert.deepEqual([id, type, Number(amount)], [known.id, known.kind, known.amount], "no event changes");
  if (known.outcome) assert.equal(outcome?.kind, known.outcome, "no outcome changes");
}

function mirroredEvent(
  { passengers }: Transaction,
  event: Event,
  fares: ReadonlyMap<string, number>,
  witness: Witness,
): MirroredEvent {
  const { id, type, processorId, reversal, outcome } = event;
  const amount = Number(event.amount);
  const named = new Map(event.shares?.map((share) => [share.passengerId, Number(share.amount)]));
  const parts = passengers === null ? new Map([["", amount]]) : event.shares === null ? fares : named;
  assert.equal(
    [...parts.values()].reduce((sum, part) => sum + part, 0),
    amount,
    "parts add up",
  );
  if (outcome) assertOutcome(event, outcome, witness);
  const times = outcome?.kind === "approved" ? settlement(event, outcome, witness) : NEVER;
  return {
    id,
    kind: type,
    parts,
    amount,
    processorId,
    reversal,
    outcome: outcome?.kind,
    fate: fateOf(outcome),
    ...times,
  };
}

const NEVER = { cutoffAt: Number.POSITIVE_INFINITY, visibleAt: Number.POSITIVE_INFINITY };
const fateOf = (outcome: Outcome | null): Fate =>
  outcome === null ? "open" : outcome.kind === "approved" ? "moved" : "failed";

/** What is on record is what the books say, and an answer that was given in time is on record. */
function assertOutcome(
  { id, type, amount, shares }: Event,
  { kind }: Outcome,
  { books, answersTo, doubtful }: Witness,
): void {
  const entry = books.entry(id);
  const given = answersTo(id).filter(({ asked }) => asked.given === "approved" || asked.given === "declined");
  const isCharge = type === "sale" || type === "auth";
  const words = `${type} ${id} is on record as ${kind}`;
  if (kind === "approved" || kind === "declined" || kind === "already-settled") {
    assert.equal(
      entry?.answer.kind,
      kind === "approved" ? "approved" : "declined",
      `${words}, and in the books otherwise`,
    );
    assert.ok(given.length > 0, `${words}, and nobody was told so`);
    assert.deepEqual([entry?.amount, entry?.shares], [amount, shares], `${words}, of another amount`);
    if (isCharge) assert.equal(entry?.reversed, false, `${words}, and was taken back`);
    const tooLate = entry?.answer.kind === "declined" && entry.answer.category === "already-settled";
    assert.equal(kind === "already-settled", tooLate, words);
  }
  if (kind === "not-sent") assert.equal(entry, undefined, `${words}, and is in the books`);
  if (kind === "unanswered") {
    assert.ok(isCharge, `${words}: a follow-up is never given up`);
    const certain = given.filter(({ asked }) => !doubtful(asked));
    assert.equal(certain.length, 0, `${words}, and was answered in time`);
  }
}

function settlement({ id, type }: Event, outcome: Outcome & { kind: "approved" }, { answersTo }: Witness) {
  if (type === "auth" || type === "void") {
    assert.equal(outcome.settlement, null, `a ${type} does not settle`);
    return NEVER;
  }
  const expected = answersTo(id)
    .filter(({ asked }) => asked.given === "approved")
    .map(({ at, schedule }) => settlesFrom(at, schedule));
  const { cutoffAt, visibleAt } = outcome.settlement ?? {};
  const stored = { cutoffAt: cutoffAt?.getTime() ?? Number.NaN, visibleAt: visibleAt?.getTime() ?? Number.NaN };
  const fits = expected.some((times) => times.cutoffAt === stored.cutoffAt && times.visibleAt === stored.visibleAt);
  assert.ok(fits, `${type} ${id} settles at ${cutoffAt?.toISOString()}, not ${JSON.stringify(expected)}`);
  return stored;
}

export type { Kind };
