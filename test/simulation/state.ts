// What the gateway tells of a transaction's state agrees with the model: statuses, totals, and totals of each passenger.

import assert from "node:assert/strict";
import { balances } from "../../src/payment/balances.ts";
import { batchOf, statuses } from "../../src/payment/status.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import type { Mirrored, MirroredEvent } from "./mirror.ts";
import { type Purse, placeAt } from "./money.ts";
import { pursesOf } from "./rules.ts";

export function assertState(transaction: Transaction, model: Mirrored, now: Date): void {
  const { all, of } = pursesOf(model, "failed");
  const words = statuses(transaction, now);
  assert.deepEqual(
    words,
    model.events.map((event, index) => statusOf(event, index, all, now.getTime())),
    "statuses",
  );
  assert.deepEqual(totals(balances(transaction, now, "failed")), totals(all), "totals");
  for (const id of model.passengers)
    assert.deepEqual(totals(balances(transaction, now, "failed", id)), totals(of(id)), "totals of a passenger");
  for (const [index, event] of transaction.events.entries()) {
    const past = (model.events[index]?.cutoffAt ?? 0) <= now.getTime();
    assert.equal(batchOf(event, now) !== null, past, "a batch from the cut-off on");
  }
}

const PLACES = { open: "pending_settlement", window: "unsettled", settled: "settled" } as const;

function statusOf(event: MirroredEvent, index: number, all: Purse, now: number): string {
  if (event.outcome === undefined) return "pending";
  if (event.outcome === "unanswered" || event.outcome === "not-sent") return "error";
  if (event.outcome !== "approved") return "declined";
  if (event.kind === "void") return "voided";
  if (event.kind === "auth") return all.voided === all.authorized ? "voided" : "authorized";
  const piles = all.piles.filter((pile) => pile.event === index);
  const wholly = piles.length > 0 && piles.every(({ voided, taken }) => voided === taken);
  return wholly ? "voided" : PLACES[placeAt(event, now)];
}

interface Sums {
  readonly authorized: number | bigint;
  readonly captured: number | bigint;
  readonly voided: number | bigint;
  readonly refunded: number | bigint;
}

const totals = ({ authorized, captured, voided, refunded }: Sums) =>
  [authorized, captured, voided, refunded].map(Number).join(" / ");
