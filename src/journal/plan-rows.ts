// The tables of plans. Whoever writes to a plan holds the lock of its row, so that a payment is never begun, moved and canceled at once.

import { type Amount, amountOf } from "../payment/money.ts";
import { PAYMENT_STATUSES, type Plan, type PlanPayment, type PlanStatus, planStatusOf } from "../payment/plan.ts";
import type { EchoedFields } from "../payment/transaction.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { count, flag, instant, list, object, orNull, rowReader, text, wholeNumber, word } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { amountText } from "./transaction-columns.ts";
import { passengerFrom } from "./transaction-rows.ts";

export const PLANS_ON_A_PAGE = 50;

const amount = (value: unknown): Amount => amountOf(wholeNumber(value));

const PLAN_COLUMNS = `merchant_id as "merchantId", id, user_id as "userId", created_at as "createdAt", updated_at as "updatedAt",
  card_id as "cardId", merchant_transaction_id as "merchantTransactionId", processor_id as "processorId", currency, total, fields,
  passengers, canceled_at as "canceledAt"`;

const planRow = rowReader("plans", {
  merchantId: text,
  id: text,
  userId: text,
  createdAt: instant,
  updatedAt: instant,
  cardId: text,
  merchantTransactionId: text,
  processorId: orNull(text),
  currency: text,
  total: amount,
  fields: (value) => object(value) as EchoedFields,
  passengers: orNull(list((value) => passengerFrom(object(value) as never))),
  canceledAt: orNull(instant),
});

const PAYMENT_COLUMNS = `plan_id as "planId", number, due_at as "dueAt", amount, is_rest as "isRest", status, attempts, declines,
  declines_before as "declinesBefore", tried_at as "triedAt", charge_at as "chargeAt", transaction_id as "transactionId", reason`;

const paymentRow = rowReader<PlanPayment & { readonly planId: string }>("plan_payments", {
  planId: text,
  number: count,
  dueAt: instant,
  amount,
  isRest: flag,
  status: word(PAYMENT_STATUSES),
  attempts: count,
  declines: count,
  declinesBefore: count,
  triedAt: orNull(instant),
  chargeAt: orNull(instant),
  transactionId: orNull(text),
  reason: orNull(text),
});

function planFrom(row: object, payments: readonly (PlanPayment & { readonly planId: string })[]): Plan {
  const plan = planRow(row);
  const own = payments.filter(({ planId }) => planId === plan.id);
  return { ...plan, payments: own.map(({ planId: _, ...payment }) => payment) };
}

/** Undefined where the merchant has no such plan. */
export async function findPlan(sql: TransactionSql, merchantId: string, id: string): Promise<Plan | undefined> {
  const [row] =
    await sql`select ${sql.unsafe(PLAN_COLUMNS)} from plans where merchant_id = ${merchantId} and id = ${id}`;
  return row && planFrom(row, await paymentsOf(sql, merchantId, [id]));
}

/** As {@link findPlan}; nobody else changes it until the end of the database transaction. */
export async function lockPlan(sql: TransactionSql, merchantId: string, id: string): Promise<Plan | undefined> {
  const [row] = await sql`
    select ${sql.unsafe(PLAN_COLUMNS)} from plans where merchant_id = ${merchantId} and id = ${id} for update`;
  // A statement of its own, which sees what was written while this waited.
  return row && planFrom(row, await paymentsOf(sql, merchantId, [id]));
}

async function paymentsOf(sql: TransactionSql, merchantId: string, ids: readonly string[]) {
  const rows = await sql`
    select ${sql.unsafe(PAYMENT_COLUMNS)} from plan_payments
    where merchant_id = ${merchantId} and plan_id = any(${arrayOf(sql, "uuid", ids)}) order by plan_id, number`;
  return rows.map(paymentRow);
}

export interface PlanFilter {
  readonly merchantId?: string | undefined;
  readonly cardId?: string | undefined;
  readonly status?: PlanStatus | undefined;
}

/** Newest first. Statements one after the other: a turn has one connection. */
export async function listPlans(
  sql: Sql,
  { merchantId, cardId, status }: PlanFilter,
  page: number,
): Promise<{ readonly plans: readonly Plan[]; readonly total: number }> {
  const matching = sql`
    from plans where true
      ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
      ${cardId === undefined ? sql`` : sql`and card_id = ${cardId}`}
      ${status === undefined ? sql`` : sql`and status = ${status}`}`;
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const total = count(counted?.total);
  const before = (page - 1) * PLANS_ON_A_PAGE;
  if (before >= total) return { plans: [], total };
  const rows = await sql`
    select ${sql.unsafe(PLAN_COLUMNS)} ${matching} order by id desc limit ${PLANS_ON_A_PAGE} offset ${before}`;
  const payments: (PlanPayment & { readonly planId: string })[] = [];
  for (const [merchant, some] of Map.groupBy(rows.map(planRow), (row) => row.merchantId))
    payments.push(
      ...(await paymentsOf(
        sql,
        merchant,
        some.map(({ id }) => id),
      )),
    );
  return { plans: rows.map((row) => planFrom(row, payments)), total };
}

/** Whose a plan is; undefined where there is none. */
export async function ownerOfPlan(sql: TransactionSql, id: string): Promise<string | undefined> {
  const [row] = await sql`select merchant_id from plans where id = ${id}`;
  return row && text(row.merchant_id);
}

/** A new one. */
export async function insertPlan(sql: TransactionSql, plan: Plan): Promise<void> {
  const { merchantId, id, userId, createdAt, cardId, merchantTransactionId, processorId, currency, total } = plan;
  const passengers = plan.passengers && JSON.stringify(plan.passengers, amountText);
  await sql`
    insert into plans (merchant_id, id, user_id, created_at, updated_at, card_id, merchant_transaction_id, processor_id, currency, total,
      fields, passengers, status)
    values (${merchantId}, ${id}, ${userId}, ${createdAt}, ${createdAt}, ${cardId}, ${merchantTransactionId}, ${processorId},
      ${currency}, ${total}, ${JSON.stringify(plan.fields)}::text::json, ${passengers}::text::json, ${planStatusOf(plan)})`;
  for (const { number, dueAt, amount, isRest, status, chargeAt } of plan.payments)
    await sql`
      insert into plan_payments (merchant_id, plan_id, number, due_at, amount, is_rest, status, attempts, declines, declines_before, charge_at)
      values (${merchantId}, ${id}, ${number}, ${dueAt}, ${amount}, ${isRest}, ${status}, 0, 0, 0, ${chargeAt})`;
}

/** What is new of a plan whose row is locked. */
export async function updatePlan(sql: TransactionSql, before: Plan, after: Plan): Promise<void> {
  const { merchantId, id, updatedAt, canceledAt } = after;
  await sql`
    update plans set updated_at = ${updatedAt}, canceled_at = ${canceledAt}, status = ${planStatusOf(after)}
    where merchant_id = ${merchantId} and id = ${id}`;
  for (const payment of after.payments) {
    const { number, dueAt, status, attempts, declines, declinesBefore, triedAt, chargeAt, transactionId, reason } =
      payment;
    if (before.payments.find((one) => one.number === number) === payment) continue;
    await sql`
      update plan_payments set due_at = ${dueAt}, status = ${status}, attempts = ${attempts}, declines = ${declines},
        declines_before = ${declinesBefore}, tried_at = ${triedAt}, charge_at = ${chargeAt}, transaction_id = ${transactionId},
        reason = ${reason}
      where merchant_id = ${merchantId} and plan_id = ${id} and number = ${number}`;
  }
}

/** A charge of a payment begins: from here on it has this transaction's id. */
export async function insertPlanCharge(
  sql: TransactionSql,
  { merchantId, id }: Plan,
  { number, attempts, transactionId }: PlanPayment,
  now: Date,
): Promise<void> {
  await sql`
    insert into plan_charges (merchant_id, plan_id, number, attempt, transaction_id, created_at)
    values (${merchantId}, ${id}, ${number}, ${attempts}, ${transactionId}, ${now})`;
}

/** What became of a plan, for webhooks. */
export interface PlanNews {
  readonly type: string;
  /** The number of the payment; null: it is about the whole plan. */
  readonly payment: number | null;
}

/** Written with the change, under the lock of the plan's row. @param shown the plan after it, as the API shows it */
export async function tellOfPlan(
  sql: TransactionSql,
  { merchantId, id }: Plan,
  news: readonly PlanNews[],
  shown: object,
  at: Date,
): Promise<void> {
  for (const { type, payment } of news) {
    const [row] = await sql`
      select coalesce(max(sequence), 0)::int as last from plan_news where merchant_id = ${merchantId} and plan_id = ${id}`;
    const sequence = count(row?.last) + 1;
    await sql`
      insert into plan_news (merchant_id, plan_id, sequence, type, payment, plan, created_at)
      values (${merchantId}, ${id}, ${sequence}, ${type}, ${payment}, ${JSON.stringify(shown)}::text::json, ${at})`;
    await sql`
      insert into webhook_deliveries (merchant_id, endpoint_id, id, type, plan_id, sequence, occurred_at, created_at, due_at, attempts,
        delivered)
      select e.merchant_id, e.id, webhook_delivery_id(${at}::timestamptz), ${type}::text, ${id}::uuid, ${sequence}::int,
        ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, 0, false
      from webhook_endpoints e
      where e.merchant_id = ${merchantId} and e.enabled and (e.event_types is null or ${type}::text = any(e.event_types))`;
  }
}

export interface ToldOfPlan extends PlanNews {
  readonly sequence: number;
  readonly at: Date;
  /** As the API showed it then. */
  readonly plan: Readonly<Record<string, unknown>>;
}

const toldRow = rowReader<ToldOfPlan>("plan_news", {
  sequence: count,
  type: text,
  payment: orNull(count),
  plan: object,
  at: instant,
});

/** What was told of a plan under this number. */
export async function toldOfPlan(
  sql: TransactionSql,
  merchantId: string,
  planId: string,
  sequence: number,
): Promise<ToldOfPlan | undefined> {
  const [row] = await sql`
    select sequence, type, payment, plan, created_at as at from plan_news
    where merchant_id = ${merchantId} and plan_id = ${planId} and sequence = ${sequence}`;
  return row && toldRow(row);
}
