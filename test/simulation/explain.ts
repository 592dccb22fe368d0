// Whether what the gateway did or said was right at some moment of a step: with several operations at once, an event that
// was written or ended during the step may or may not have been there yet.

import assert from "node:assert/strict";
import type { Mirrored, MirroredEvent } from "./mirror.ts";
import { Impossible } from "./money.ts";
import { reversalWord, type Wish, type Word, wishForAll, word } from "./rules.ts";

/** Every state that the transaction may have been in, with so many events. */
function* momentsWith(count: number, before: Mirrored | undefined, after: Mirrored): Iterable<Mirrored> {
  const events = after.events.slice(0, count);
  const ended = events.filter((event, index) => event.fate !== "open" && before?.events[index]?.outcome === undefined);
  for (let mask = 0; mask < 2 ** ended.length; mask++) {
    const open = new Set(ended.filter((_, index) => (mask >> index) & 1));
    yield {
      ...after,
      events: events.map((event): MirroredEvent => (open.has(event) ? { ...event, fate: "open" } : event)),
    };
  }
}

function* moments(before: Mirrored | undefined, after: Mirrored): Iterable<Mirrored> {
  for (let count = before?.events.length ?? 1; count <= after.events.length; count++)
    yield* momentsWith(count, before, after);
}

/** Each new event of the step was allowed. */
export function assertAllowed(before: Mirrored | undefined, after: Mirrored, now: number): void {
  for (const [index, event] of after.events.entries()) {
    if (index < (before?.events.length ?? 0)) continue;
    const allowed = index === 0 || atSome(momentsWith(index, before, after), (moment) => mayFollow(moment, event, now));
    assert.ok(allowed, `${event.kind} of ${event.amount} was not allowed after ${inWords(after, index)}`);
  }
}

function mayFollow(moment: Mirrored, event: MirroredEvent, now: number): boolean {
  const last = moment.events.at(-1);
  if (event.kind === "sale" || event.kind === "auth")
    return (
      last?.outcome === "not-sent" &&
      last.kind === event.kind &&
      last.amount === event.amount &&
      last.processorId !== event.processorId
    );
  const asks = (said: Word) => "ask" in said && said.ask === event.amount;
  if (!event.reversal) {
    const shares = moment.passengers.length === 0 ? undefined : [...event.parts];
    return asks(word(moment, { kind: event.kind, amount: event.amount, shares }, now));
  }
  const first = reversalWord(moment, now);
  if (first.kind === event.kind && asks(first)) return true;
  const second = event.kind === "refund" && last?.kind === "void" && last.reversal && last.fate !== "open";
  return second && asks(word(moment, wishForAll(moment, "refund", now), now));
}

/** This wish could be refused with this status about these fields. */
export function mayRefuse(
  wish: Wish | "reversal",
  said: { readonly status: number; readonly fields: string },
  before: Mirrored | undefined,
  after: Mirrored,
  now: number,
): boolean {
  return atSome(moments(before, after), (moment) => {
    const expected = wish === "reversal" ? reversalWord(moment, now) : word(moment, wish, now);
    return "refuse" in expected && expected.refuse === said.status && expected.field === said.fields;
  });
}

/** This event could be what this wish leads to. */
export function mayLeadTo(
  wish: Wish,
  event: MirroredEvent,
  before: Mirrored | undefined,
  after: Mirrored,
  now: number,
): boolean {
  return atSome(momentsWith(after.events.indexOf(event), before, after), (moment) => {
    const said = word(moment, wish, now);
    return "ask" in said && said.ask === event.amount;
  });
}

/** Some combinations never were: an event that was only allowed because another had failed. */
function atSome(all: Iterable<Mirrored>, holds: (moment: Mirrored) => boolean): boolean {
  for (const moment of all)
    try {
      if (holds(moment)) return true;
    } catch (fault) {
      if (!(fault instanceof Impossible)) throw fault;
    }
  return false;
}

export const inWords = ({ events }: Mirrored, count = events.length): string =>
  events
    .slice(0, count)
    .map(({ kind, amount, parts, outcome }) => {
      const shares = parts.size > 1 || !parts.has("") ? `=${[...parts.values()].join("+")}` : "";
      return `${kind} ${amount}${shares} ${outcome ?? "open"}`;
    })
    .join(", ");
