// What a transaction's `actions` say, held to what the operation then does, alone and with the lines well; and to the
// model's word on who knows: inside its settlement window money is uncertain, and nowhere else.

import assert from "node:assert/strict";
import { representTransaction } from "../../src/api/represent.ts";
import type { Result } from "../../src/gateway/result.ts";
import type { Terms } from "../../src/payment/actions.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import type { Mirrored } from "../simulation/mirror.ts";
import { leftIn, type Purse, placeAt } from "../simulation/money.ts";
import type { Request } from "../simulation/requests.ts";
import { pursesOf } from "../simulation/rules.ts";

type Name = "capture" | "void" | "refund" | "reversal";

interface Action {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly from?: string | null;
  readonly amount?: string;
  readonly partial?: boolean;
  readonly uncertain?: boolean;
  readonly until?: string | null;
}

export type Actions = Readonly<Record<Name, Action>>;

export const actionsShown = (transaction: Transaction, terms: Terms, now: number): Actions =>
  representTransaction(transaction, terms, new Date(now)).actions as unknown as Actions;

/** What is uncertain is what the model places in a window; and each instant that is named is the one that matters. */
export function assertSaid(transaction: Transaction, model: Mirrored, terms: Terms, now: number): Actions {
  const actions = actionsShown(transaction, terms, now);
  const { all } = pursesOf(model, "gone");
  const inWindow = leftIn(all, now, "window") > 0;
  const waits = model.currency === "CAD";
  const words = (name: Name) =>
    `${name} of ${model.id} at ${new Date(now).toISOString()}: ${JSON.stringify(actions[name])}`;
  if (actions.void.allowed) assert.equal(actions.void.uncertain, inWindow, words("void"));
  const beyondSettled = inWindow && minor(actions.refund.amount) > leftIn(all, now, "settled");
  if (actions.refund.allowed) assert.equal(actions.refund.uncertain, waits && beyondSettled, words("refund"));
  if (actions.capture.allowed) assert.equal(actions.capture.uncertain, false, words("capture"));
  if (actions.reversal.allowed && model.events.every(({ fate }) => fate !== "open"))
    assert.equal(actions.reversal.uncertain, inWindow && endsApart(all, waits, now), words("reversal"));
  for (const name of ["capture", "void", "refund", "reversal"] as const) {
    const { until, from } = actions[name];
    const at = (instant: number): Action => actionsShown(transaction, terms, instant)[name];
    if (until) {
      assert.deepEqual(at(Date.parse(until) - 1), actions[name], `${words(name)}, and sooner otherwise`);
      assert.notDeepEqual(at(Date.parse(until)), actions[name], `${words(name)}, and then still so`);
    }
    if (from) {
      const sooner = at(Date.parse(from) - 1);
      assert.ok(!sooner.allowed || sooner.uncertain, `${words(name)}, and sooner it is`);
      assert.ok(at(Date.parse(from)).allowed, `${words(name)}, and then it is not`);
    }
  }
  return actions;
}

/** Neither a void nor a refund may take all of what is left. */
function endsApart({ held, piles }: Purse, waits: boolean, now: number): boolean {
  const unsettled = piles.filter((pile) => pile.left > 0 && placeAt(pile, now) !== "settled");
  return held > 0 || (waits && new Set(unsettled.map(({ cutoffAt }) => cutoffAt)).size > 1);
}

const minor = (amount: string | undefined): number => Math.round(Number(amount) * 100);

export interface Kept {
  readonly actions: Actions;
  readonly before: Mirrored;
  readonly after: Mirrored;
  readonly request: Exclude<Request, { is: "charge" }>;
  readonly result: Result;
  readonly now: number;
  /** The processor's word on an event. */
  code(id: string): string;
}

/** The operation did what was said of it. */
export function assertKept({ actions, before, after, request, result, now, code }: Kept): void {
  const name = request.is === "reversal" ? "reversal" : request.wish.kind;
  const action = actions[name];
  const asked = request.is === "reversal" ? undefined : request.wish.amount;
  const added = after.events.slice(before.events.length);
  const words = `${name} of ${asked ?? "all"} after ${JSON.stringify(action)} gave ${
    result.kind === "refused"
      ? result.refusals.map((one) => one.name)
      : added.map((one) => `${one.kind} ${one.outcome}`)
  }`;
  // Whom it is for may be wrong in ways of its own.
  const named = before.passengers.length > 0 || (request.is !== "reversal" && request.wish.shares !== undefined);
  if (!action.allowed) {
    assert.equal(result.kind, "refused", words);
    // What is in flight is in the way of some amounts only, and all that is left need not be one of them.
    if (!named && asked === undefined && result.kind === "refused" && action.reason !== "operation-in-flight")
      assert.equal(result.refusals[0].name, action.reason, words);
    return;
  }
  const most = minor(action.amount);
  if (result.kind === "refused") {
    // A refund without an amount is of all that was captured, also of what is not allowed yet.
    const whole =
      name === "refund" ? pursesOf(before, "gone").all.piles.reduce((sum, { left }) => sum + left, 0) : most;
    const amount = asked ?? whole;
    const fits = amount === most || (amount < most && mayBePart(action, before, amount, now, name));
    assert.ok(named || !fits, words);
    return;
  }
  assert.ok(asked === undefined || asked === most || (asked < most && action.partial), words);
  if (action.uncertain) return;
  const failed = added.filter(({ id, fate }) => fate !== "moved" && code(id) !== "05");
  const last = added.at(-1);
  assert.ok(last && (last.fate === "moved" || code(last.id) === "05"), words);
  if (name === "reversal") {
    const moved = added.filter(({ fate }) => fate === "moved").reduce((sum, { amount }) => sum + amount, 0);
    assert.ok(moved === most || added.some(({ id }) => code(id) === "05"), `${words}: ${moved} of ${most}`);
  } else assert.deepEqual(failed, [], words);
}

/** `partial` promises any part, but of a refund that waits only what has settled. */
function mayBePart({ partial }: Action, before: Mirrored, asked: number, now: number, name: Name): boolean {
  if (!partial) return false;
  const waits = name === "refund" && before.currency === "CAD";
  return !waits || asked <= leftIn(pursesOf(before, "gone").all, now, "settled");
}
