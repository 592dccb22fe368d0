// The books of Adyen's and Stripe's hosts, read from their files as the torture's checker takes them: what was asked of them stands
// there under our references, once.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startHost } from "../../../hosts/stripe/host.ts";
import type { Entry } from "../../../hosts/stripe/state.ts";
import { amountOf } from "../../../src/payment/money.ts";
import type { FollowUpType } from "../../../src/payment/transaction.ts";
import type { Processor } from "../../../src/processors/processor.ts";
import { ACCOUNT, openAdyen, testAdyenHost } from "../../conformance/adyen-subject.ts";
import { responseOf } from "../../conformance/processor-response.ts";
import { type ChargeGiven, chargeQuestion, type FollowUpGiven, followUpQuestion } from "../../conformance/questions.ts";
import { openStripe, SECRET_KEY, stripeSettings } from "../../conformance/stripe-subject.ts";
import { until } from "../../receiver.ts";
import type { Booked } from "../accounts.ts";
import { adyenBooked } from "./adyen.ts";
import { readEntries } from "./read-entries.ts";
import { stripeBooked, stripeReleasedInVain } from "./stripe.ts";

const DECLINED = { number: "4000000000000002" };
const part = (minor: bigint, uncaptured: bigint) => ({ minor, uncaptured });

/** References by what was asked under them. */
type Asked = Readonly<Record<string, string>>;

/** A sale, a declined one, an auth that is captured in parts, one that is voided, and one that is taken back. */
async function ask(processor: Processor, given: ChargeGiven): Promise<Asked> {
  const signal = AbortSignal.timeout(60_000);
  const [sale, auth, voided, lost] = [
    chargeQuestion("sale", given),
    chargeQuestion("auth", given),
    chargeQuestion("auth", given),
    chargeQuestion("auth", given),
  ] as const;
  const declined = chargeQuestion("sale", DECLINED);
  await processor.charge(sale, signal);
  await processor.charge(declined, signal);
  const held = responseOf(await processor.charge(auth, signal), "approved");
  const captures = [
    followUpQuestion("capture", auth, held, part(300n, 1_000n)),
    followUpQuestion("capture", auth, held, part(200n, 700n)),
  ];
  for (const capture of captures) await processor.followUp(capture, signal);
  const release = followUpQuestion("void", voided, responseOf(await processor.charge(voided, signal), "approved"));
  await processor.followUp(release, signal);
  await processor.charge(lost, signal);
  await processor.timeoutReversal(lost, signal);
  return {
    ...{ sale: sale.reference, declined: declined.reference, auth: auth.reference, voided: voided.reference },
    ...{ first: captures[0]?.reference ?? "", second: captures[1]?.reference ?? "", release: release.reference },
    lost: lost.reference,
  };
}

const shown = (booked: readonly Booked[], asked: Asked) => {
  const names = new Map(Object.entries(asked).map(([name, reference]) => [reference, name]));
  return booked.map((line) => `${line.operation} ${names.get(line.reference)} ${line.amount} ${line.code}`).sort();
};

const BOTH = [
  ...["auth auth 1000 00", "auth lost 1000 00", "auth voided 1000 00", "capture first 300 00", "capture second 200 00"],
  ...["reversal lost 1000 00", "sale sale 1000 00", "void release 1000 00"],
];

test("of Adyen's host", async () => {
  const host = await testAdyenHost();
  const processor = openAdyen({ ...ACCOUNT, base_url: host.baseUrl, multiple_captures: true });
  try {
    const asked = await ask(processor, { number: "4111111111111111" });
    const booked = adyenBooked(readEntries(join(host.folder, "books.log")));
    assert.deepEqual(shown(booked, asked), [...BOTH, "sale declined 1000 02"].sort());
  } finally {
    await processor.close();
    await host.stop();
  }
});

test("of Stripe's host", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stripe-host-"));
  const crash = () => assert.fail("a host in this process does not crash");
  const host = await startHost({ folder, port: 0, secretKey: SECRET_KEY, endpoint: null, crash });
  const processor = openStripe(stripeSettings(host.port));
  try {
    const asked = await ask(processor, { number: "4242424242424242" });
    const booked = stripeBooked(readEntries(join(folder, "stripe-books.log")));
    assert.deepEqual(shown(booked, asked), [...BOTH, "sale declined 1000 05"].sort());
  } finally {
    await processor.close();
    await host.stop();
    await rm(folder, { recursive: true });
  }
});

test("of Stripe's host: what a void released whose refund failed, the next void stands for", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stripe-host-"));
  const crash = () => assert.fail("a host in this process does not crash");
  const host = await startHost({ folder, port: 0, secretKey: SECRET_KEY, endpoint: null, crash });
  const processor = openStripe({ ...stripeSettings(host.port), multiple_captures: true });
  const entries = () => readEntries<Entry>(join(folder, "stripe-books.log"));
  const linesOf = (reference: string) =>
    stripeBooked(entries()).flatMap((line) =>
      line.reference === reference ? `${line.operation} ${line.amount} ${line.code}` : [],
    );
  const signal = AbortSignal.timeout(60_000);
  try {
    const auth = chargeQuestion("auth", { number: "4000000000005126" });
    const held = responseOf(await processor.charge(auth, signal), "approved");
    const approve = async (...[type, given]: [FollowUpType, FollowUpGiven]): Promise<string> => {
      const question = followUpQuestion(type, auth, held, given);
      responseOf(await processor.followUp(question, signal), "approved");
      return question.reference;
    };
    const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
    const captures = [{ left: amountOf(300n), settlement }];
    await approve("capture", { minor: 300n, uncaptured: 1_000n });
    const first = await approve("void", { minor: 1_000n, uncaptured: 700n, captures });
    await until("its refund has failed", () => linesOf(first).join() === "refund 1000 05");
    assert.equal(stripeReleasedInVain(entries(), auth.transactionId), 700n);
    const refund = await approve("refund", { minor: 300n, uncaptured: 700n, captures });
    const second = await approve("void", { minor: 700n, uncaptured: 700n, captures: [] });
    await until("the refund has failed, too", () => linesOf(refund).join() === "refund 300 05");
    assert.deepEqual(linesOf(second), ["void 700 00"]);
    assert.equal(stripeReleasedInVain(entries(), auth.transactionId), 0n);
  } finally {
    await processor.close();
    await host.stop();
    await rm(folder, { recursive: true });
  }
});
