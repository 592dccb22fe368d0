// Payments of plans whose time has come, or whose charge has no end yet, and which node has them now. What follows for them is decided in
// payment/plan-charge.ts.

import { CARD_BRANDS, type CardBrand } from "../payment/card-brand.ts";
import { LONGEST_LIMIT_MS, type Try } from "../payment/going-on.ts";
import { amountOf } from "../payment/money.ts";
import type { Plan, PlanPayment } from "../payment/plan.ts";
import type { Sql } from "./database.ts";
import type { KeyClaim } from "./journal.ts";
import { databaseNow, leaseEnd, unleased } from "./lease.ts";
import { amongThoseThere } from "./merchants-there.ts";
import { insertPlanCharge, lockPlan, updatePlan } from "./plan-rows.ts";
import { claimKeyOfRecord } from "./record-keys.ts";
import { count, instant, orNull, rowReader, text, wholeNumber, word } from "./rows.ts";
import type { Query, TransactionSql } from "./sql/sql.ts";

export interface DuePayment {
  readonly merchantId: string;
  readonly planId: string;
  readonly number: number;
}

export interface DuePlans {
  readonly leaseMs: number;
  /** When the next payment is to be charged, up to this instant. */
  next(by: Date): Promise<Date | undefined>;
  /** What is to be charged by this instant or has no end yet, and is nobody's; some of each merchant, without those whose worker is away. */
  due(by: Date): Promise<readonly DuePayment[]>;
  /** Nobody else gets it until the lease ends. @returns false: another node was faster, or it is not due any more */
  lease(payment: DuePayment, by: Date): Promise<boolean>;
  renew(payment: DuePayment): Promise<void>;
  /** @param restMs for so long nobody takes it */
  release(payment: DuePayment, restMs: number): Promise<void>;
  /**
   * The charge is durable before it is begun: the payment is `pending`, with the id of a transaction that is not written yet.
   * @param payment as it was; `undefined` if it was moved, canceled or begun since
   */
  begin(plan: Plan, payment: PlanPayment, transactionId: string, now: Date): Promise<Plan | undefined>;
  /** Since when nothing that was lost can have been charged: the last release from recovery mode, by the gateway's clock. */
  recoveredAt(): Promise<Date | null>;
  /** Whether its processor confirmed that no money of this transaction's charge is held or taken. */
  isTakenBack(merchantId: string, transactionId: string): Promise<boolean>;
  /** Charges of plans of this card that were declined, as far back as limits look, and the card's brand. */
  triesOf(
    merchantId: string,
    cardId: string,
    now: Date,
  ): Promise<{ readonly brand: CardBrand; readonly tries: readonly Try[] }>;
}

/** Others wait this long, at most, for a node that died. */
const LEASE_MS = 6_000;
const MOST_LOOKED_AT = 5_000;
const MOST_OF_ONE = 64;

const dueRow = rowReader<DuePayment>("plan_payments", { merchantId: text, planId: text, number: count });

/** @param leaseMs by the database's own time */
export function duePlans(sql: Sql, leaseMs = LEASE_MS): DuePlans {
  const end = () => leaseEnd(sql, databaseNow(sql), leaseMs);
  const free = () => unleased(sql, databaseNow(sql));
  const place = ({ merchantId, planId, number }: DuePayment) =>
    sql`merchant_id = ${merchantId} and plan_id = ${planId} and number = ${number}`;
  const isDue = (by: Date): Query<object> => sql`(charge_at <= ${by} or status = 'pending')`;
  return {
    leaseMs,

    next: async (by) => {
      const [row] = await sql`select min(charge_at) as at from plan_payments where charge_at <= ${by}`;
      return orNull(instant)(row?.at ?? null) ?? undefined;
    },

    due: (by) =>
      amongThoseThere(sql, async (among) => {
        const rows = await sql`
          select "merchantId", "planId", number from (
            select *, row_number() over (partition by "merchantId" order by charge_at nulls first) as nth from (
              (select merchant_id as "merchantId", plan_id as "planId", number, charge_at from plan_payments
                where charge_at <= ${by} and ${free()} and ${among.of()} order by charge_at limit ${MOST_LOOKED_AT})
              union all
              (select merchant_id, plan_id, number, charge_at from plan_payments
                where status = 'pending' and ${free()} and ${among.of()} limit ${MOST_LOOKED_AT})
            ) found
          ) numbered
          where nth <= ${MOST_OF_ONE} order by charge_at nulls first`;
        return rows.map(dueRow);
      }),

    lease: async (payment, by) => {
      const taken = await sql`
        update plan_payments set taken_until = ${end()} where ${place(payment)} and ${isDue(by)} and ${free()} returning number`;
      return taken.length > 0;
    },

    renew: async (payment) => {
      await sql`update plan_payments set taken_until = ${end()} where ${place(payment)} and taken_until is not null`;
    },

    release: async (payment, restMs) => {
      await sql`
        update plan_payments set taken_until = ${restMs === 0 ? null : leaseEnd(sql, databaseNow(sql), restMs)}
        where ${place(payment)}`;
    },

    begin: (plan, payment, transactionId, now) =>
      sql.begin(async (tx) => {
        const before = await lockPlan(tx, plan.merchantId, plan.id);
        const there = before?.payments.find(({ number }) => number === payment.number);
        if (before === undefined || there === undefined || !isSameTry(there, payment)) return undefined;
        const begun: PlanPayment = {
          ...{ ...there, status: "pending", chargeAt: null, transactionId, attempts: there.attempts + 1 },
          triedAt: there.triedAt ?? now,
        };
        const payments = before.payments.map((one) => (one === there ? begun : one));
        const after = { ...before, payments, updatedAt: now };
        await updatePlan(tx, before, after);
        await insertPlanCharge(tx, after, begun, now);
        return after;
      }),

    recoveredAt: async () => {
      const [row] = await sql`select value ->> 'at' as at from installation where name = 'plans_recovered'`;
      return row === undefined ? null : new Date(text(row.at));
    },

    isTakenBack: async (merchantId, transactionId) => {
      const [row] = await sql<[{ there: boolean }]>`
        select exists(select from confirmed_reversals
          where merchant_id = ${merchantId} and transaction_id = ${transactionId}) as there`;
      return row.there;
    },

    triesOf: async (merchantId, cardId, now) => {
      const rows = await sql`
        select e.created_at as at, e.amount, t.card_brand as brand
        from plans p
          join plan_charges c on c.merchant_id = p.merchant_id and c.plan_id = p.id
          join transactions t on t.merchant_id = c.merchant_id and t.id = c.transaction_id
          join events e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
          join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
        where p.merchant_id = ${merchantId} and p.card_id = ${cardId} and o.kind in ('declined', 'unanswered', 'action-required')
          and c.created_at > ${new Date(now.getTime() - LONGEST_LIMIT_MS)}
        order by e.created_at desc limit 100`;
      const read = rows.map(triedRow);
      return { brand: read[0]?.brand ?? "unknown", tries: read };
    },
  };
}

/** Within the database transaction that ends recovery mode. @param at by the gateway's clock */
export async function holdPlansUntil(sql: TransactionSql, at: Date): Promise<void> {
  await sql`
    insert into installation (name, value) values ('plans_recovered', ${sql.json({ at: at.toISOString() })})
    on conflict (name) do update set value = excluded.value`;
}

const triedRow = rowReader("events", {
  at: instant,
  amount: (value) => amountOf(wholeNumber(value)),
  brand: word(CARD_BRANDS),
});

const isSameTry = (there: PlanPayment, payment: PlanPayment): boolean =>
  there.attempts === payment.attempts &&
  there.chargeAt !== null &&
  there.chargeAt.getTime() === payment.chargeAt?.getTime();

/**
 * The key of a charge of a plan: it holds a character that no merchant's key has. The intent is written with it, so that each charge is made
 * once, whoever begins it.
 */
export function keyOfCharge({ id }: Pick<Plan, "id">, { number, attempts }: PlanPayment): KeyClaim {
  const key = `plan·${id}·${number}·${attempts}`;
  return { key, requestHash: Buffer.from(key) };
}

/**
 * Within a database transaction: this charge is never begun from here on.
 * @returns false: it was begun
 */
export const giveUpCharge = (sql: TransactionSql, plan: Plan, payment: PlanPayment, now: Date): Promise<boolean> =>
  claimKeyOfRecord(
    sql,
    { merchantId: plan.merchantId, id: payment.transactionId ?? plan.id, createdAt: now },
    keyOfCharge(plan, payment),
  );
