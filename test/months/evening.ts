// What the model expects of an automatic capture: every open authorization of before its time is captured whole, once, and
// no other (decisions, section 4).

import assert from "node:assert/strict";
import type { Mirrored, MirroredEvent } from "../simulation/mirror.ts";

/** An authorization as the model saw it come. */
export interface Authorized {
  readonly processorId: string;
  readonly at: number;
}

export interface Due {
  readonly at: number;
  readonly records: ReadonlySet<string>;
}

/**
 * The transactions that are to be captured at this time; with `perhaps` those too that are so only if what is in flight on
 * them comes to nothing in time.
 */
export const awaited = (
  mirrors: readonly Mirrored[],
  authorized: ReadonlyMap<string, Authorized>,
  { at, records }: Due,
  how: "certainly" | "perhaps",
): readonly Mirrored[] =>
  mirrors.filter(({ id, events }) => {
    const known = authorized.get(id);
    const last = events.at(-1);
    // Its outcome is known to a node that has yet to write it down.
    if (known === undefined)
      return how === "perhaps" && last?.kind === "auth" && last.fate === "open" && records.has(last.processorId);
    if (!records.has(known.processorId) || known.at >= at) return false;
    const decided = events.filter(({ kind }) => kind === "capture" || kind === "void");
    return decided.every(({ fate }) => fate === "failed" || (fate === "open" && how === "perhaps"));
  });

/** @param calm nothing went wrong meanwhile */
export function assertCaptured(before: Mirrored, after: Mirrored, calm: boolean, code: (id: string) => string): void {
  const added = after.events.slice(before.events.length);
  const words = `${after.id} was open, and got ${added.map(({ kind, amount }) => `${kind} ${amount}`).join() || "nothing"}`;
  assert.ok(calm ? added.length === 1 : added.length >= 1, words);
  const charge = after.events.find(({ kind, fate }) => kind === "auth" && fate === "moved");
  for (const event of added) {
    assert.deepEqual([event.kind, event.amount], ["capture", charge?.amount], `${words}: not the whole of it`);
    assert.deepEqual(event.parts, charge?.parts, `${words}: not to each his fares`);
    assert.ok(mayEndSo(event, calm, code), `${words}: ${event.outcome}`);
  }
  assert.ok(added.filter(({ fate }) => fate !== "failed").length <= 1, `${words}: more than once`);
}

function mayEndSo({ id, fate, outcome }: MirroredEvent, calm: boolean, code: (id: string) => string): boolean {
  if (outcome === "declined") return code(id) === "05";
  return calm ? fate === "moved" : outcome === undefined || outcome === "approved" || outcome === "not-sent";
}
