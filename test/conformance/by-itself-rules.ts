// Conformance: what a processor does to a payment of ours without being asked. It is told as made, of the charge, under one name however many
// messages tell of it, and with its money.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { amountOf } from "../../src/payment/money.ts";
import type { Made } from "../../src/payment/news.ts";
import type { ProcessorNotification } from "../../src/processors/processor.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import type { Rule, Trial } from "./rule.ts";
import { BY_ITSELF, type ByItself } from "./subject.ts";

const TYPES: Readonly<Record<ByItself, readonly Made["type"][]>> = {
  expire: ["void"],
  cancel: ["void", "reversal"],
  capture: ["capture"],
  refund: ["refund"],
};
const REFUNDED = amountOf(300n);

export function byItselfRules(rule: Rule): void {
  for (const does of BY_ITSELF)
    rule(`${does}: it is told as made, of the charge, once and with its money`, "answers", async (trial) => {
      const { charge, told } = await madeBy(trial, does);
      assert.equal(new Set(told.map(({ news }) => news.operation)).size, 1, inspect(told));
      for (const one of told) {
        const { type, end, money, processorResponse, operation } = one.news;
        assert.ok(TYPES[does].includes(type), type);
        assert.equal(end, "succeeded");
        assert.ok(operation.length > 0 && operation.length <= 255);
        assertProcessorResponse(processorResponse);
        if (does === "refund") assert.deepEqual(money, { amount: REFUNDED, currency: charge.currency });
        if (does === "capture") assert.deepEqual(money, { amount: charge.amount, currency: charge.currency });
        const { transactionId, reference } = charge;
        assert.deepEqual(one.about, { transactionId, reference });
      }
    });

  rule("two refunds have two names", "answers", async (trial) => {
    const { charge, told } = await madeBy(trial, "refund");
    const more = await toldOf(trial, charge.transactionId, "refund");
    const names = new Set([...told, ...more].map(({ news }) => news.operation));
    assert.equal(names.size, 2, inspect(names));
  });
}

type About = NonNullable<ProcessorNotification["about"]>;
type Told = ProcessorNotification & { readonly news: Made };

async function madeBy(trial: Trial, does: ByItself) {
  trial.need(trial.subject.byItself);
  const charge = trial.question(does === "refund" ? "sale" : "auth");
  responseOf(await trial.charge(charge), "approved");
  return { charge, told: await toldOf(trial, charge.transactionId, does) };
}

/** What it tells beside says nothing of its own, or is about what moved nothing. Each message is the same when it comes again. */
async function toldOf(trial: Trial, transactionId: string, does: ByItself): Promise<readonly [Told, ...Told[]]> {
  const told: Told[] = [];
  for (const message of await trial.need(trial.subject.byItself)(transactionId, does)) {
    const received = await trial.receive(message);
    assert.deepEqual(await trial.receive(message), received);
    assert.ok(received.kind === "genuine", inspect(received));
    for (const one of received.notifications)
      if (one.news.kind === "made") {
        const made = { ...one, news: one.news };
        const owner = await ownerOf(trial, made);
        if (owner !== undefined) told.push({ ...made, about: owner });
      } else assert.ok(one.news.kind === "known" || one.news.kind === "other", inspect(one));
  }
  const [first, ...others] = told;
  assert.ok(first, `it tells of ${does}`);
  return [first, ...others];
}

/** Where the message itself does not say it, the processor is asked by its name for the payment, and says what moved nothing. */
async function ownerOf(trial: Trial, { about, news }: Told): Promise<About | undefined> {
  if (about !== null) return about;
  assert.ok(news.payment, "it names a payment");
  const owner = await trial.processor.whose?.(news.payment, AbortSignal.timeout(60_000), news.operation);
  if (owner?.kind === "moved-nothing") return undefined;
  assert.ok(owner?.kind === "ours", inspect(owner));
  return { transactionId: owner.transactionId, reference: owner.reference };
}
