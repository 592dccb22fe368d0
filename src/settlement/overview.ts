// What a merchant's period came to: charges, approvals, declines by reason, refunds, by time, processor record and brand. From the
// figures of days and hours (journal/figures.ts, daily-figures.ts), never from events.

import { figuresBetween, type Period } from "../journal/daily-figures.ts";
import type { Sql } from "../journal/database.ts";
import { addUpFigures } from "../journal/figures.ts";
import { count, flag, instant, orNull, rowReader, text, wholeNumber } from "../journal/rows.ts";
import { type Asker, inTurn } from "../journal/search/ask.ts";
import { type Amount, amountOf } from "../payment/money.ts";

export const STEPS = ["hour", "day", "month"] as const;
export type Step = (typeof STEPS)[number];

export type OverviewRequest = Period;

export interface Charges {
  readonly count: number;
  readonly approved: number;
  readonly declined: number;
  /** Without an answer, or without one yet. */
  readonly unknown: number;
  /** Of what was approved. */
  readonly amount: Amount;
}

export interface Sum {
  readonly count: number;
  readonly amount: Amount;
}

export interface Overview {
  readonly step: Step;
  /** What became known later is not in it yet, or not all of it. The period's beginning while events of it are missing. */
  readonly asOf: Date;
  readonly charges: Charges;
  readonly captures: Sum;
  readonly voids: Sum;
  readonly refunds: Sum;
  /** Of the merchant, now, whatever the period. */
  readonly unresolved: number;
  readonly points: readonly (Charges & { readonly at: Date; readonly refunded: Amount })[];
  readonly declines: readonly { code: string; category: string | null; message: string; count: number }[];
  readonly processors: readonly (Charges & { readonly id: string })[];
  readonly brands: readonly (Charges & { readonly brand: string })[];
}

/** What an overview adds up itself before it shows what there is; the background goes on. */
const MOST_DAYS = 8;
const DAY_MS = 86_400_000;
const MOST_DECLINES = 50;

export const stepOf = (from: Date, before: Date): Step => {
  const days = (before.getTime() - from.getTime()) / DAY_MS;
  return days <= 3 ? "hour" : days <= 92 ? "day" : "month";
};

/** As up to date as eight more days of events make it. */
export async function overview(asker: Asker, request: OverviewRequest, now: Date): Promise<Overview> {
  const { before, since } = await addUpFigures(asker, request.merchantId, now, MOST_DAYS);
  // Events of the period are missing, and nobody knows yet which: of this period it knows nothing for certain.
  const asOf = since === null || since <= request.from || before < request.from ? before : request.from;
  const step = stepOf(request.from, request.before);
  const [all, declines, unresolved] = await inTurn(asker, () =>
    Promise.all([
      figuresOf(asker.pool, request, step),
      declinesOf(asker.pool, request),
      unresolvedOf(asker.pool, request.merchantId),
    ]),
  );
  // A charge counts once, by its end. Of a processor counts all that it was asked.
  const rows = all.filter(({ attempt }) => !attempt);
  const followUps = (type: string) => sumOf(rows.filter((row) => row.type === type && row.kind === "approved"));
  return {
    ...{ step, asOf, declines, unresolved },
    charges: chargesOf(rows),
    captures: followUps("capture"),
    voids: followUps("void"),
    refunds: followUps("refund"),
    points: grouped(rows, ({ at }) => at.toISOString()).map(([at, of]) => ({
      at: new Date(at),
      ...chargesOf(of),
      refunded: sumOf(of.filter(({ type, kind }) => type === "refund" && kind === "approved")).amount,
    })),
    processors: byVolume(grouped(all.filter(isCharge), (row) => row.processor_id)).map(([id, of]) => ({
      id,
      ...chargesOf(of),
    })),
    brands: byVolume(grouped(rows.filter(isCharge), (row) => row.card_brand)).map(([brand, of]) => ({
      brand,
      ...chargesOf(of),
    })),
  };
}

interface Figure {
  readonly at: Date;
  readonly type: string;
  readonly kind: string;
  readonly processor_id: string;
  readonly card_brand: string;
  /** A decline after which another processor was asked. */
  readonly attempt: boolean;
  readonly events: bigint;
  readonly amount: bigint;
}

const figureRow = rowReader<Figure>("figures", {
  at: instant,
  type: text,
  kind: text,
  processor_id: text,
  card_brand: text,
  attempt: flag,
  events: wholeNumber,
  amount: wholeNumber,
});

async function figuresOf(sql: Sql, request: OverviewRequest, step: Step): Promise<Figure[]> {
  const rows = await sql`
    select date_trunc(${step}, at, 'UTC') as at, type, kind, processor_id, card_brand, coalesce(attempt, false) as attempt, sum(events)::text as events,
      sum(amount)::text as amount
    from (${figuresBetween(sql, request, step === "hour")}) f
    group by 1, 2, 3, 4, 5, 6 order by 1`;
  return rows.map(figureRow);
}

const declineRow = rowReader("figures", { code: text, category: orNull(text), message: text, count });

async function declinesOf(sql: Sql, request: OverviewRequest) {
  const rows = await sql`
    select code, category, min(message) as message, sum(events)::int as count
    from (${figuresBetween(sql, request, false)}) f
    where type in ('sale', 'auth') and attempt is not true and kind = any(${[...DECLINED]}) and code is not null
    group by code, category order by count desc, code limit ${MOST_DECLINES}`;
  return rows.map(declineRow);
}

async function unresolvedOf(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql`select count(*)::int as there from unresolved where merchant_id = ${merchantId}`;
  return count(row?.there);
}

const DECLINED: ReadonlySet<string> = new Set(["declined", "action-required", "failed-after-all"]);
const isCharge = ({ type }: Figure): boolean => type === "sale" || type === "auth";

/** What was not sent is no charge: another processor was asked, or nobody. */
function chargesOf(rows: readonly Figure[]): Charges {
  const sent = rows.filter((row) => isCharge(row) && row.kind !== "not-sent");
  const approved = sumOf(sent.filter(({ kind }) => kind === "approved"));
  const declined = sumOf(sent.filter(({ kind }) => DECLINED.has(kind)));
  const all = sumOf(sent).count;
  return {
    ...{ count: all, approved: approved.count, declined: declined.count },
    ...{ unknown: all - approved.count - declined.count, amount: approved.amount },
  };
}

function sumOf(rows: readonly Figure[]): Sum {
  let [events, amount] = [0n, 0n];
  for (const row of rows) {
    events += row.events;
    amount += row.amount;
  }
  return { count: Number(events), amount: amountOf(amount) };
}

const grouped = (rows: readonly Figure[], keyOf: (row: Figure) => string): [string, Figure[]][] => [
  ...Map.groupBy(rows, keyOf),
];

const byVolume = (groups: readonly [string, Figure[]][]): [string, Figure[]][] =>
  [...groups].sort(([, one], [, other]) => chargesOf(other).count - chargesOf(one).count);
