// What looked like card testing: written by each node, read by the others and shown to the operator.

import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { count, instant, rowReader, text, word } from "../journal/rows.ts";
import { type Evidence, SIGNALS, type Signal } from "../payment/card-testing.ts";
import { Timestamp, timestamp, Uuid } from "../validation/fields.ts";

export interface ReportRow extends Omit<Evidence, "pending" | "answered"> {
  readonly merchantId: string;
  readonly signal: Signal;
  readonly key: string;
  readonly shown: string;
  /** Charges since the last report. */
  readonly slowed: number;
  readonly refused: number;
}

/** Adds what was slowed and refused, replaces what is counted within the window. Told again, it is no newer. */
export async function writeReports(sql: Sql, node: number, now: Date, reports: readonly ReportRow[]): Promise<void> {
  if (reports.length === 0) return;
  await sql`
    insert into card_testing (merchant_id, signal, key, node_id, shown, cards, answered, declined, merchant_cards,
      slowed, refused, first_at, newest_at, reported_at)
    select r."merchantId", r.signal, r.key, ${node}::int, r.shown, r.cards, r.newest, r.declined, r."merchantCards",
      r.slowed, r.refused, ${now}, ${now}, now()
    from jsonb_to_recordset(${sql.json(reports.map((report) => ({ ...report })))}) as r("merchantId" uuid, signal text,
      key text, shown text, cards int, newest int, declined int, "merchantCards" int, slowed bigint, refused bigint)
    on conflict (merchant_id, signal, key, node_id) do update set cards = excluded.cards,
      answered = excluded.answered, declined = excluded.declined, merchant_cards = excluded.merchant_cards,
      slowed = card_testing.slowed + excluded.slowed, refused = card_testing.refused + excluded.refused,
      newest_at = case when excluded.slowed + excluded.refused > 0 then excluded.newest_at else card_testing.newest_at end,
      reported_at = excluded.reported_at`;
}

const MOST_READ = 10_000;

type Others = Omit<Evidence, "pending" | "answered"> & Pick<ReportRow, "merchantId" | "signal" | "key">;
const othersRow = rowReader<Others>("card_testing", {
  merchantId: text,
  signal: word(SIGNALS),
  key: text,
  cards: count,
  newest: count,
  declined: count,
  merchantCards: count,
});

/** What the other nodes told within the last minute, added up. */
export async function reportsOfOthers(sql: Sql, node: number): Promise<Others[]> {
  const rows = await sql`
    select merchant_id as "merchantId", signal, key, sum(cards)::int as cards, sum(answered)::int as newest,
      sum(declined)::int as declined, sum(merchant_cards)::int as "merchantCards"
    from card_testing where reported_at > now() - interval '1 minute' and node_id <> ${node}
    group by merchant_id, signal, key limit ${MOST_READ}`;
  return rows.map(othersRow);
}

/** Rows of which nothing new was reported for 30 days. */
export async function removeOldReports(sql: Sql): Promise<void> {
  await sql`delete from card_testing where reported_at < now() - interval '30 days'`;
}

export const CardTestingReport = Type.Object({
  merchant_id: { ...Uuid, description: "Whose charges." },
  signal: Type.Enum([...SIGNALS], {
    description:
      "What the cards have in common: their first six digits, the client's address, the API token; `crowd`: the token, each card from an address with few.",
  }),
  shown: Type.String({
    description: "The first six digits and asterisks, the address, or the token's id.",
    examples: ["411111**********"],
  }),
  cards: Type.Integer({
    description: "Different cards within the window, refused ones among them, when it was last reported.",
  }),
  declined: Type.Integer({ description: "Of those: declined." }),
  slowed: Type.Integer({ description: "Charges that were held back for up to two seconds, since the first report." }),
  refused: Type.Integer({ description: "Charges that were refused, since the first report." }),
  first_at: Timestamp,
  newest_at: Timestamp,
});
export type CardTestingReport = Type.Static<typeof CardTestingReport>;

const reportRow = rowReader("card_testing", {
  merchant_id: text,
  signal: word(SIGNALS),
  shown: text,
  cards: count,
  declined: count,
  slowed: count,
  refused: count,
  first_at: instant,
  newest_at: instant,
});

/** Newest first, at most a hundred; all nodes' added up. */
export async function listReports(
  sql: Sql,
  { merchant }: { readonly merchant?: string } = {},
): Promise<CardTestingReport[]> {
  const rows = await sql`
    select merchant_id, signal, shown, sum(cards)::int as cards, sum(declined)::int as declined,
      sum(slowed)::float8 as slowed, sum(refused)::float8 as refused, min(first_at) as first_at,
      max(newest_at) as newest_at
    from card_testing where ${merchant === undefined ? sql`true` : sql`merchant_id = ${merchant}`}
    group by merchant_id, signal, key, shown having sum(slowed) + sum(refused) > 0 order by max(newest_at) desc, shown limit 100`;
  return rows.map(reportRow).map((row) => ({
    ...row,
    shown: row.signal === "range" ? row.shown.padEnd(16, "*") : row.shown,
    first_at: timestamp(row.first_at),
    newest_at: timestamp(row.newest_at),
  }));
}
