// The operator's batches, held to the model: each event whose cut-off has passed is in exactly one, the one that it shows,
// and totals are the sums of what is in it.

import assert from "node:assert/strict";
import type { Sql } from "../../src/journal/database.ts";
import { lister } from "../../src/journal/search/ask.ts";
import { streamEvents } from "../../src/settlement/batch-events.ts";
import { type Batch, listBatches, totalsOf } from "../../src/settlement/batches.ts";
import { streamLedger } from "../../src/settlement/ledger.ts";
import type { Mirrored, MirroredEvent } from "../simulation/mirror.ts";
import { pursesOf } from "../simulation/rules.ts";
import { batchName } from "./shown-batches.ts";

interface Content {
  readonly transaction: Mirrored;
  readonly event: MirroredEvent;
}

/** @param ids as the events show them @param most so many of the newest are read whole */
export async function assertBatches(
  sql: Sql,
  merchantId: string,
  now: Date,
  mirrors: readonly Mirrored[],
  ids: ReadonlyMap<string, string>,
  most: number,
): Promise<void> {
  const expected = Map.groupBy(contents(mirrors, now.getTime()), ({ event }) =>
    batchName(event.processorId, event.cutoffAt),
  );
  const listed = await allBatches(sql, merchantId, now);
  const name = ({ processorId, cutoffAt }: Batch) => batchName(processorId, cutoffAt.getTime());
  assert.deepEqual(listed.map(name).sort(), [...expected.keys()].sort(), "each cut-off with money has one batch");
  for (const batch of listed) assert.equal(batch.id, ids.get(name(batch)), "a batch has the id that its events show");
  const ledger = await ledgerSums(sql, merchantId, now);
  assert.deepEqual(
    [...ledger.keys()].sort(),
    listed.map(({ id }) => id).sort(),
    "the ledger's batches are those listed",
  );
  for (const batch of listed.slice(0, most))
    await assertBatch(sql, now, batch, expected.get(name(batch)) ?? [], ledger.get(batch.id));
}

const contents = (mirrors: readonly Mirrored[], now: number): Content[] =>
  mirrors.flatMap((transaction) =>
    transaction.events
      .filter(({ fate, cutoffAt }) => fate === "moved" && cutoffAt <= now)
      .map((event) => ({ transaction, event })),
  );

async function allBatches(sql: Sql, merchantId: string, now: Date): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for (let page = 1; ; page++) {
    const { batches: some, total } = await listBatches(sql, now, { merchantId }, page);
    batches.push(...some);
    if (batches.length >= total || some.length === 0) {
      assert.equal(batches.length, total, "the list's total");
      return batches;
    }
  }
}

/** What the ledger of all time adds up to, by batch; without what is in none yet. */
async function ledgerSums(sql: Sql, merchantId: string, now: Date): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  for await (const records of streamLedger(sql, merchantId, { from: null, before: null }, now))
    for (const { batch_id: id, amount } of records)
      if (id !== null) sums.set(id, (sums.get(id) ?? 0n) + BigInt(amount.replace(".", "")));
  return sums;
}

async function assertBatch(
  sql: Sql,
  now: Date,
  batch: Batch,
  inIt: readonly Content[],
  booked: bigint | undefined,
): Promise<void> {
  const events = [];
  for await (const some of streamEvents(sql, batch)) events.push(...some);
  const ids = (all: readonly string[]) => [...all].sort();
  assert.deepEqual(ids(events.map((one) => one.event_id)), ids(inIt.map(({ event }) => event.id)), "a batch's events");
  const { totals, voided, net } = await totalsOf(lister(sql, batch.merchantId), now, batch);
  const lines = (all: readonly [string, string, number, number][]) => all.map((one) => one.join(" ")).sort();
  const sums = [...Map.groupBy(events, (one) => `${one.event_type} ${one.card_brand}`)].map(
    ([group, some]): [string, string, number, number] => [
      ...(group.split(" ") as [string, string]),
      some.length,
      some.reduce((sum, { event_id: id }) => sum + (inIt.find(({ event }) => event.id === id)?.event.amount ?? 0), 0),
    ],
  );
  assert.deepEqual(
    lines(totals.map((one) => [one.operation, one.cardBrand, one.count, Number(one.amount)])),
    lines(sums),
    "a batch's totals",
  );
  const gone = inIt.reduce((sum, { transaction, event }) => sum + voidedOf(transaction, event), 0);
  assert.equal(Number(voided), gone, "what of a batch was voided");
  const taken = inIt.reduce((sum, { event }) => sum + (event.kind === "refund" ? -event.amount : event.amount), 0);
  assert.equal(Number(net), taken - gone, "a batch's net");
  assert.equal(booked, net, "the ledger's sum over a batch is its net");
}

function voidedOf(transaction: Mirrored, event: MirroredEvent): number {
  const place = transaction.events.indexOf(event);
  const { piles } = pursesOf(transaction, "failed").all;
  return piles.filter((pile) => pile.event === place).reduce((sum, pile) => sum + pile.voided, 0);
}
