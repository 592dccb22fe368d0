// Conformance: what a processor tells of disputes. The steps of one dispute are told as one, of a payment that is known to be ours, and
// add up to the same in whatever order and however often they come.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { type KnownReport, summaryOf } from "../../src/payment/dispute.ts";
import type { Disputed } from "../../src/payment/news.ts";
import type { CardChargeQuestion, IncomingMessage, ProcessorNotification } from "../../src/processors/processor.ts";
import { responseOf } from "./processor-response.ts";
import type { Rule, Trial } from "./rule.ts";

export function disputeRules(rule: Rule): void {
  rule("the steps of a dispute are told as one, of the payment that was charged", "answers", async (trial) => {
    const { charge, messages } = await disputed(trial);
    const told = await receivedIn(trial, messages);
    assert.equal(new Set(told.map(({ news }) => news.reference)).size, 1);
    for (const one of told) {
      assert.deepEqual(await ownerOf(trial, one), {
        transactionId: charge.transactionId,
        reference: charge.reference,
      });
      assert.deepEqual(one.news.report.disputed, { amount: charge.amount, currency: charge.currency });
    }
  });

  rule("in whatever order and however often they come, they add up to the same", "answers", async (trial) => {
    const { charge, messages } = await disputed(trial);
    const inOrder = summary(await receivedIn(trial, messages));
    const { amount, currency } = charge;
    assert.deepEqual(
      [inOrder.stage, inOrder.state, inOrder.amount, inOrder.currency, inOrder.withdrawn],
      ["chargeback", "won", amount, currency, 0n],
    );
    for (const other of [
      messages.toReversed(),
      [...messages, ...messages],
      [...messages.slice(1), ...messages.slice(0, 2)],
    ])
      assert.deepEqual(summary(await receivedIn(trial, other)), inOrder);
  });

  rule("while it is open the money is withdrawn, and comes back once it is won", "answers", async (trial) => {
    const { charge, messages } = await disputed(trial);
    const told = await receivedIn(trial, messages);
    const withdrawn = told.map((_, index) => summary(told.slice(0, index + 1)).withdrawn);
    assert.ok(withdrawn.includes(charge.amount), inspect(withdrawn));
    assert.equal(withdrawn.at(-1), 0n);
  });
}

/** Of a sale: opened, answered and won. */
async function disputed(trial: Trial) {
  const disputes = trial.need(trial.subject.disputes);
  const charge = trial.question("sale");
  responseOf(await trial.charge(charge), "approved");
  return { charge, messages: await disputes(charge.transactionId) };
}

type Told = ProcessorNotification & { readonly news: Disputed };

async function receivedIn(trial: Trial, messages: readonly IncomingMessage[]): Promise<readonly Told[]> {
  const told: Told[] = [];
  for (const message of messages) {
    const received = await trial.receive(message);
    assert.ok(received.kind === "genuine", inspect(received));
    for (const one of received.notifications) {
      assert.ok(one.news.kind === "dispute", inspect(one));
      told.push({ ...one, news: one.news });
    }
  }
  return told;
}

/** Where the message itself does not say it, the processor is asked by its name for the payment. */
async function ownerOf(
  trial: Trial,
  { about, news }: Told,
): Promise<Pick<CardChargeQuestion, "transactionId" | "reference">> {
  if (about !== null) return about;
  assert.ok(news.payment, "it names a payment");
  const owner = await trial.processor.whose?.(news.payment, AbortSignal.timeout(60_000));
  assert.ok(owner?.kind === "ours", inspect(owner));
  return { transactionId: owner.transactionId, reference: owner.reference };
}

/** As the journal keeps them: each message once. */
function summary(told: readonly Told[]) {
  const once = [...new Map(told.map((one) => [one.id, one])).values()];
  const reports = once.map(
    ({ id, occurredAt, news }, index): KnownReport => ({
      ...news.report,
      at: occurredAt,
      number: index + 1,
      source: id,
      knownAt: occurredAt,
    }),
  );
  return summaryOf(reports);
}
