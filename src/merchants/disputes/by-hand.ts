// Disputes that an operator enters and changes by hand: for processors that tell the gateway of none, and where a message was lost or
// cannot be read. Each is a report like those of processors, with an entry in the audit log.

import type { Dispute as Known } from "../../journal/dispute-rows.ts";
import { addReport, insertDispute, lockDispute, lockDisputesOf, reportsOf } from "../../journal/disputes.ts";
import type { TransactionSql } from "../../journal/sql/sql.ts";
import { findTransaction } from "../../journal/whole-transactions.ts";
import { fitsCurrency, isCurrency } from "../../payment/currency.ts";
import { judgeDispute } from "../../payment/disputable.ts";
import {
  type DisputeReport,
  type KnownReport,
  MOST_REPORTS,
  orderOfOperator,
  summaryOf,
} from "../../payment/dispute.ts";
import { wordsOfReason } from "../../payment/dispute-reasons.ts";
import { type Amount, amountOf } from "../../payment/money.ts";
import type { Refused } from "../../payment/refusal.ts";
import { chargeOf } from "../../payment/transaction.ts";
import { isUuid, newId } from "../../uuid.ts";
import { noProblems, type Problems, problemsOf } from "../../validation/problems.ts";
import { audited } from "../audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "../backoffice.ts";
import { findMerchant } from "../merchants.ts";
import { problemsOfOwnCard } from "../own-card.ts";
import { type Dispute, DisputeChange, NewDispute, showDispute } from "./dispute-schema.ts";

/** With an entry in the audit log. */
export async function createDispute(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<Dispute> | Invalid | Unknown | Refused> {
  if ((await findMerchant(office.sql, merchantId)) === undefined) return unknown("merchant", merchantId);
  const problems = problemsOf(NewDispute, input);
  if (!noProblems(problems)) return invalid(problems);
  const { transaction_id: wanted, processor_dispute_id: reference = null, ...said } = input as NewDispute;
  const transaction = await findTransaction(office.sql, merchantId, wanted);
  if (transaction === undefined) return invalid({ transaction_id: ["must be a transaction of this merchant"] });
  const own = problemsOfOwnCard(input as NewDispute, transaction.card.mask);
  if (!noProblems(own)) return invalid(own);
  const { currency = transaction.currency, amount } = said;
  const wrong = problemsOfMoney({ amount, amount_withdrawn: said.amount_withdrawn }, currency);
  const more = { ...problemsOfFee(said, said.fee_currency ?? currency), ...problemsOfEnd(said) };
  if (wrong !== undefined || !noProblems(more)) return invalid({ ...wrong, ...more });
  const [now, { id: eventId, processorId }] = [office.clock.now(), chargeOf(transaction)];
  const report = reportOf({ ...said, amount, currency, fee_currency: said.fee_currency ?? currency }, now, 0);
  const opening = {
    ...{ merchantId: transaction.merchantId, id: newId(office.clock.now()), transactionId: transaction.id, eventId },
    ...{ merchantTransactionId: transaction.merchantTransactionId, processorId, reference },
  };
  return audited<Done<Dispute> | Invalid | Refused>(office, author, async (sql) => {
    const others = await lockDisputesOf(sql, transaction.merchantId, transaction.id);
    const after = summaryOf([known(report, 1, now)]);
    const refused = judgeDispute({ transaction, before: undefined, after, others }, now);
    if (refused !== undefined) return { result: refused };
    if (!(await insertDispute(sql, opening, report, now)))
      return {
        result: invalid({ processor_dispute_id: ["belongs to a dispute that is on record already: change that one"] }),
      };
    const opened = await lockDispute(sql, opening.id);
    if (opened === undefined) throw new Error("broken database: a dispute that was just written is gone");
    const shown = showDispute((await addReport(sql, opened, [], report, null, now)).dispute);
    return { result: done(shown), entry: { action: "dispute.create", subject: ["dispute", shown.id], after: shown } };
  });
}

/** What is named is otherwise now. A later word of the processor's wins over it. */
export async function changeDispute(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
): Promise<Done<Dispute> | Invalid | Unknown | Refused> {
  const problems = problemsOf(DisputeChange, input);
  const said = input as DisputeChange;
  if (!noProblems(problems)) return invalid(problems);
  if (!noProblems(problemsOfEnd(said))) return invalid(problemsOfEnd(said));
  if (!isUuid(id)) return unknown("dispute", id);
  return audited<Done<Dispute> | Invalid | Unknown | Refused>(office, author, async (sql) => {
    const dispute = await lockDispute(sql, id);
    if (dispute === undefined) return { result: unknown("dispute", id) };
    const before = showDispute(dispute);
    if (Object.values(said).every((value) => value === undefined)) return { result: done(before) };
    const feeCurrency = said.fee_currency ?? dispute.fee?.currency ?? said.currency ?? dispute.currency;
    const whole = { ...withCurrency(said, dispute), fee_currency: feeCurrency };
    const wrong = problemsOfMoney(
      { ...whole, amount: whole.amount ?? before.amount },
      whole.currency ?? dispute.currency,
    );
    const wrongFee = problemsOfFee(said, feeCurrency);
    if (wrong !== undefined || !noProblems(wrongFee)) return { result: invalid({ ...wrong, ...wrongFee }) };
    const reports = await reportsOf(sql, dispute);
    if (reports.length >= MOST_REPORTS)
      return { result: invalid({ base: [`A dispute has at most ${MOST_REPORTS} reports, and this one has them.`] }) };
    const now = office.clock.now();
    const report = reportOf(whole, now, orderOfOperator(reports));
    const refused = await judgeChange(office, sql, dispute, reports, report, now);
    if (refused !== undefined) return { result: refused };
    const { dispute: changed, news } = await addReport(sql, dispute, reports, report, null, now);
    const after = showDispute(changed);
    if (news.length === 0) return { result: done(after) };
    return {
      result: done(after),
      entry: { action: "dispute.change", subject: ["dispute", dispute.id], before, after },
    };
  });
}

async function judgeChange(
  office: Backoffice,
  sql: TransactionSql,
  dispute: Known,
  reports: readonly KnownReport[],
  report: DisputeReport,
  now: Date,
): Promise<Refused | undefined> {
  const { merchantId, transactionId } = dispute;
  const transaction = await findTransaction(office.sql, merchantId, transactionId);
  // In an archive, where all disputes have ended.
  if (transaction === undefined) return undefined;
  const others = (await lockDisputesOf(sql, merchantId, transactionId)).filter(({ id }) => id !== dispute.id);
  const after = summaryOf([...reports, known(report, reports.length + 1, now)]);
  return judgeDispute({ transaction, before: summaryOf(reports), after, others }, now);
}

/** As it would be on record. */
const known = (report: DisputeReport, number: number, knownAt: Date): KnownReport => ({
  ...report,
  ...{ number, source: null, knownAt },
});

/** Amount and currency are one thing: who names one of them leaves the other as it is. */
function withCurrency(said: DisputeChange, { amount, currency }: Known): DisputeChange {
  if (said.amount === undefined && said.currency === undefined) return said;
  return { currency, ...said, amount: said.amount ?? hundredths(amount) };
}

const hundredths = (amount: Amount): string => `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`;

/** What there is no such money of in the currency. */
function problemsOfMoney(
  amounts: { readonly amount?: string | undefined; readonly amount_withdrawn?: string | undefined },
  currency: string,
): Problems | undefined {
  if (!isCurrency(currency)) return { currency: ["must be a currency of ISO 4217, such as USD"] };
  const { amount, amount_withdrawn } = amounts;
  const given = Object.entries({ amount, amount_withdrawn });
  const unfit = given.filter(([, text]) => text !== undefined && !fitsCurrency(amountIn(text), currency));
  if (unfit.length > 0)
    return Object.fromEntries(
      unfit.map(([name]) => [name, [`must be whole, like 1000.00: ${currency} has no hundredths`]]),
    );
  return amount !== undefined && amountIn(amount) === 0n ? { amount: ["must be more than 0.00"] } : undefined;
}

function problemsOfFee({ fee, fee_currency }: DisputeChange, currency: string): Problems {
  if (fee === undefined) return fee_currency === undefined ? {} : { fee_currency: ["must come with a fee"] };
  if (!isCurrency(currency)) return { fee_currency: ["must be a currency of ISO 4217, such as USD"] };
  return fitsCurrency(amountIn(fee), currency)
    ? {}
    : { fee: [`must be whole, like 1000.00: ${currency} has no hundredths`] };
}

/** Of a text that the schema let through. */
function amountIn(text: string): Amount {
  const [whole = "", decimals = ""] = text.split(".");
  return amountOf(BigInt(whole + decimals.padEnd(2, "0")));
}

/** What has ended waits for nobody. */
const problemsOfEnd = ({ status, outcome }: DisputeChange): Problems =>
  status !== undefined && outcome !== undefined ? { status: ["must not come with an outcome"] } : {};

function reportOf(said: DisputeChange, at: Date, order: number): DisputeReport {
  const { amount, currency, amount_withdrawn: withdrawn, stage, reason_code: reasonCode, respond_by: respondBy } = said;
  const { fee, fee_currency: feeCurrency } = said;
  const state = said.outcome ?? said.status;
  const reason = said.reason ?? (reasonCode === undefined ? undefined : wordsOfReason(reasonCode));
  return {
    order,
    at,
    ...(amount !== undefined && currency !== undefined && { disputed: { amount: amountIn(amount), currency } }),
    ...(withdrawn !== undefined && { withdrawn: amountIn(withdrawn) }),
    ...(fee !== undefined && feeCurrency && { feeInAll: { amount: amountIn(fee), currency: feeCurrency } }),
    ...(stage !== undefined && { stage }),
    ...(state !== undefined && { state }),
    ...(reason !== undefined && { reason }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(respondBy !== undefined && { respondBy: respondBy === null ? null : new Date(respondBy) }),
  };
}
