// A report against the journal: whose payments its lines are about, and what of a day is not in it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../../test/conformance/intents.ts";
import { freshDatabase } from "../../../test/database.ts";
import { handClock } from "../../../test/hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../../../test/postgres-installation.ts";
import { at } from "../../../test/transactions.ts";
import { noteProcessorReport } from "../../journal/disputes.ts";
import type { PostgresJournal } from "../../journal/postgres-journal.ts";
import { type Amount, amountOf, ZERO } from "../../payment/money.ts";
import type { Transaction } from "../../payment/transaction.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import { reconcileReport } from "./reconcile-report.ts";

describe("a report of settled money", () => {
  let installation: PostgresInstallation;
  let journal: PostgresJournal;
  const clock = handClock(at("1 12:00"));
  const [merchantId, otherMerchant, stranger] = [v7(), v7(), v7()];
  const [record, secondRecord, othersRecord, strangersRecord] = [v7(), v7(), v7(), v7()];
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    ({ journal } = await installation.join({ clock }));
    for (const id of [merchantId, otherMerchant, stranger]) await installation.addMerchant(id);
    for (const [owner, id, kind] of [
      [merchantId, record, "stripe"],
      [merchantId, secondRecord, "stripe"],
      [otherMerchant, othersRecord, "stripe"],
      [stranger, strangersRecord, "simulator"],
    ] as const)
      await installation.pool`
        insert into processors (merchant_id, id, name, kind, currency, enabled, in_rotation, requires, settlement, settings,
          created_at, updated_at)
        values (${owner}, ${id}, ${id}, ${kind}, 'USD', true, true, '{}', '{}', '{}', ${at("1 00:00")}, ${at("1 00:00")})`;
  });
  after(() => installation.end());

  async function sold(owner: string, processorId: string, instant: Date): Promise<Transaction> {
    clock.set(instant);
    const plain = intent(owner, instant);
    const sale = { ...plain.events[0], type: "sale", processorId } as const;
    const transaction = { ...plain, events: [sale] as const };
    await journal.open(transaction, null);
    await journal.conclude(conclusion(transaction, sale, approved(instant)));
    return transaction;
  }
  async function voided(transaction: Transaction, instant: Date): Promise<void> {
    const event = followUp(transaction, "void", { amount: amountOf(100n), createdAt: instant });
    await journal.append(transaction.merchantId, transaction.id, event, null);
    await journal.conclude(conclusion(transaction, event, approved(instant)));
  }
  const line = (transactionId: string, eventId: string, over: Partial<ReportLine> = {}): ReportLine => ({
    ...{ line: 2, kind: "captured", said: "captured", id: null, about: { transactionId, eventId } },
    ...{ gross: 1_000_000n, currency: "USD", net: 1_000_000n, netCurrency: "USD", batch: null },
    ...over,
  });
  const lineOf = ({ id, events }: Transaction, over?: Partial<ReportLine>) => line(id, events[0].id, over);

  /** @param day whose money must be in it; it is compared at `now` */
  async function compared(lines: readonly ReportLine[], day?: string, now = at("9 12:00")) {
    const found: string[] = [];
    const report = {
      ...{ account: { merchantId, processorId: record }, currency: "USD", namesCaptures: true, balances: false, day },
      lines: (async function* () {
        yield lines;
      })(),
    };
    const { counts } = await reconcileReport(installation.pool, report, now, {
      found: ({ kind, here, there, dispute }) =>
        void found.push(`${kind} ${here?.transactionId ?? there?.about?.transactionId ?? dispute?.transactionId}`),
      broken: () => assert.fail("a broken line"),
    });
    return { found, others: counts.others, compared: counts.compared };
  }

  test("is not about what another record or another merchant with such a record has, archived or not", async () => {
    const elsewhere = [
      await sold(merchantId, secondRecord, at("1 12:00")),
      await sold(otherMerchant, othersRecord, at("1 12:00")),
    ];
    const archived = v7();
    await installation.pool`insert into archived_transactions values (${otherMerchant}, ${archived}, 77)`;
    const lines = [...elsewhere.map((one) => lineOf(one)), line(archived, v7())];
    assert.deepEqual(await compared(lines), { found: [], others: 3, compared: 0 });
  });

  test("has what nobody's record is about as missing here, also where only a merchant without such a record has it", async () => {
    const nobodys = v7();
    const { id, events } = await sold(stranger, strangersRecord, at("1 12:00"));
    const { found } = await compared([line(nobodys, v7()), line(id, events[0].id)]);
    assert.deepEqual(found.sort(), [`missing-here ${nobodys}`, `missing-here ${id}`].sort());
  });

  test("is about a charge that went on to this record after another had declined it", async () => {
    const plain = intent(merchantId, clock.now());
    const first = { ...plain.events[0], type: "sale", processorId: secondRecord } as const;
    const next = { ...first, id: v7(), sequence: 2, processorId: record };
    const transaction = { ...plain, events: [first] as const };
    await journal.open(transaction, null);
    await journal.conclude(conclusion(transaction, first, ended("declined", clock.now()), { next }));
    await journal.conclude(conclusion(transaction, next, approved(clock.now())));
    const { found } = await compared([line(transaction.id, next.id, { gross: 990_000n })]);
    assert.deepEqual(found, [`other-amount ${transaction.id}`]);
  });

  test("has each line once, by the processor's own name for it", async () => {
    const one = await sold(merchantId, record, at("1 12:00"));
    const { found } = await compared([lineOf(one, { id: "txn_1" }), lineOf(one, { id: "txn_1" })]);
    assert.deepEqual(found, [`reported-twice ${one.id}`]);
  });

  test("of a day lacks what was sold on it, but not what is in it, what was voided later, or another record's", async () => {
    const [day, noon] = ["2030-05-05", at("5 12:00")];
    const [there, absent, taken] = [
      await sold(merchantId, record, noon),
      await sold(merchantId, record, noon),
      await sold(merchantId, record, noon),
    ];
    await sold(merchantId, secondRecord, noon);
    await voided(taken, at("6 12:00"));
    const { found } = await compared([lineOf(there)], day);
    assert.deepEqual(found, [`missing-there ${absent.id}`]);
    const [early] = (await compared([lineOf(there)], day, at("5 12:01"))).found;
    assert.equal(early, `too-recent ${absent.id}`, "what was sold a moment ago may still be coming");
  });

  /** A processor's message about a dispute. */
  async function told(
    about: { readonly id: string; readonly event: string },
    withdrawn: Amount,
    when: Date,
    knownAt = when,
  ) {
    const opening = { merchantId, id: v7(), transactionId: about.id, merchantTransactionId: "1", eventId: about.event };
    const stated = {
      at: when,
      order: when.getTime(),
      disputed: { amount: amountOf(100n), currency: "USD" },
      withdrawn,
    };
    const reference = { processorId: record, reference: `du_${about.id}` };
    await noteProcessorReport(installation.pool, { ...opening, ...reference }, stated, v7(), knownAt);
  }
  const TAKEN = amountOf(100n);
  const disputed = (id: string, event: string, over: Partial<ReportLine> = {}) =>
    line(id, event, {
      ...{ kind: "chargeback", said: "adjustment", gross: -1_000_000n, net: -1_000_000n, dispute: `du_${id}` },
      ...over,
    });
  async function paid(): Promise<{ readonly id: string; readonly event: string }> {
    const { id, events } = await sold(merchantId, record, at("2 12:00"));
    return { id, event: events[0].id };
  }

  test("of a day lacks what a dispute took or gave back on it by the record", async () => {
    const back: Partial<ReportLine> = { kind: "chargeback-reversed", gross: 1_000_000n, net: 1_000_000n };
    const noon = at("10 12:00");
    const rows: readonly (readonly [
      string,
      (readonly [Amount, Date, Date?])[],
      Partial<ReportLine>[],
      string,
      Date?,
    ])[] = [
      ["taken", [[TAKEN, noon]], [], "dispute-missing-there"],
      ["taken, and there", [[TAKEN, noon]], [{}], "chargeback"],
      ["taken, and told on a later day", [[TAKEN, noon, at("11 12:00")]], [], "dispute-missing-there"],
      ["taken on the day before, and told on this one", [[TAKEN, at("9 12:00"), noon]], [], ""],
      ["taken on the day after", [[TAKEN, at("11 12:00")]], [], ""],
      ["an inquiry, which takes nothing", [[ZERO, noon]], [], ""],
      [
        "another amount is told as that",
        [[TAKEN, noon]],
        [{ gross: -900_000n, net: -900_000n }],
        "dispute-other-amount",
      ],
      [
        "taken and given back, and neither is there",
        [
          [TAKEN, noon],
          [ZERO, at("10 18:00")],
        ],
        [],
        "dispute-missing-there dispute-missing-there",
      ],
      [
        "taken and given back, and only the first is there",
        [
          [TAKEN, noon],
          [ZERO, at("10 18:00")],
        ],
        [{}],
        "chargeback dispute-missing-there",
      ],
      [
        "taken on an earlier day, and given back on this one",
        [
          [TAKEN, at("9 12:00")],
          [ZERO, noon],
        ],
        [back],
        "chargeback",
      ],
      ["near midnight", [[TAKEN, at("10 00:02")]], [], "near-midnight"],
      ["of a day that is not over, a moment ago", [[TAKEN, noon]], [], "too-recent", at("10 12:01")],
      ["of a day that is not over, an hour ago", [[TAKEN, noon]], [], "dispute-missing-there", at("10 13:00")],
    ];
    for (const [rule, messages, lines, expected, now = at("20 12:00")] of rows) {
      const payment = await paid();
      for (const message of messages) await told(payment, ...message);
      const reported = lines.map((over) => disputed(payment.id, payment.event, over));
      const own = ({ found }: { readonly found: readonly string[] }) =>
        found.flatMap((one) => (one.endsWith(payment.id) ? [one.split(" ")[0]] : [])).join(" ");
      assert.equal(own(await compared(reported, "2030-05-10", now)), expected, rule);
      const withoutDay = expected.replace(/dispute-missing-there|near-midnight|too-recent/g, "").trim();
      assert.equal(own(await compared(reported, undefined, now)), withoutDay, `${rule}, without a day`);
    }
  });

  test("about a payment of ours that is archived says so, and is compared with the dispute on record", async () => {
    const [plain, known] = [v7(), v7()];
    const event = v7();
    await installation.pool`insert into archived_transactions values (${merchantId}, ${plain}, 78), (${merchantId}, ${known}, 79)`;
    await told({ id: known, event }, TAKEN, at("2 12:00"));
    const refunded = { kind: "refunded", gross: -1_000_000n, net: -1_000_000n } as const;
    for (const [rule, lines, expected] of [
      ["a chargeback", [disputed(plain, event)], [`archived ${plain}`]],
      ["a capture", [line(plain, event)], [`archived ${plain}`]],
      ["a refund", [line(plain, event, refunded)], [`archived ${plain}`]],
      ["a chargeback as on record", [disputed(known, event)], [`chargeback ${known}`]],
      [
        "a chargeback that the processor names by the dispute alone",
        [disputed(known, event, { about: null })],
        [`chargeback ${known}`],
      ],
      [
        "another amount",
        [disputed(known, event, { gross: -900_000n, net: -900_000n })],
        [`dispute-other-amount ${known}`],
      ],
    ] as const)
      assert.deepEqual((await compared(lines)).found, expected, rule);
    const nobodys = v7();
    assert.deepEqual((await compared([disputed(nobodys, event)])).found, [`dispute-of-no-payment ${nobodys}`]);
  });
});
