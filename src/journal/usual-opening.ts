// The usual way to open transactions: all are of one merchant, and their keys are new. It writes all of them, or fails where a key is
// taken, and writes nothing.

import { type Form, formOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { run } from "./group-statements.ts";
import {
  asPart,
  type Filled,
  filled,
  type Insert,
  type InsertText,
  insertsStatement,
  type KnownShapes,
  parametersOf,
} from "./inserts.ts";
import {
  bytesOf,
  CHARGED,
  CLAIM,
  FIRST_EVENT,
  lookAt,
  lookAtNewCard,
  type Opening,
  SEALED,
  SEATED,
  type Seated,
  STORED,
  seatedIn,
  TRANSACTION,
} from "./opening-rows.ts";

export const isUsual = ([first, ...others]: readonly Opening[]): boolean =>
  others.every(({ intent }) => intent.merchantId === first?.intent.merchantId);

/** @returns when they were created @throws where a key is taken: then nothing is written */
export async function openUsual(sql: Sql, rows: readonly Opening[], node: number, now: Date): Promise<Date> {
  const parts = partsOf(rows);
  const claims = parts.some(({ insert }) => insert === CLAIMED);
  const statement = insertsStatement(shapes, parts, OWN, (inserts) => compose(inserts, claims));
  const own = [rows[0]?.intent.merchantId ?? null, rows.length, now, node];
  const [written] = await run<{ created_at: Date }>(sql, statement.text, [
    ...own,
    ...parametersOf(sql, statement, parts),
  ]);
  if (written === undefined) throw new Error("broken invariant: a merchant without a counter");
  return written.created_at;
}

const shapes: KnownShapes = new Map();
/** $1 to $4: the merchant, how many rows, now, this node. */
const OWN = 4;

/** What a part lacks has no rows, and is left out: to start it up costs as much as a row. */
function partsOf(rows: readonly Opening[]): readonly Filled[] {
  const form = formOf(rows);
  const some = <Row>(insert: Insert<Row>, its: readonly Row[], itsForm: Form = form): Filled[] =>
    its.length === 0 ? [] : [filled(insert, its, itsForm)];
  return [
    ...some(
      CLAIMED,
      rows.filter(({ claim }) => claim !== null),
    ),
    ...some(form === "alone" ? OPENED_ALONE : OPENED, rows),
    ...some(
      KEPT,
      rows.filter(({ sealedCard }) => sealedCard !== null),
    ),
    ...some(TAKING_SEATS, seatedIn(rows), "group"),
    ...some(
      CARDS_CHARGED,
      rows.filter(({ intent }) => intent.cardKey !== undefined),
    ),
    ...some(
      CARDS_STORED,
      rows.filter(({ intent }) => intent.newCard !== undefined),
    ),
    ...some(BEGUN, rows),
  ];
}

/**
 * Keys are claimed before the counter is locked, as by everybody else: who waits for a key holds no counter.
 * @param claims whether the first insert claims keys
 */
function compose(inserts: readonly InsertText[], claims: boolean): string {
  const counted = `counted as (
  update merchant_counters set transactions = transactions + $2::int8, newest_at = greatest(newest_at, $3::timestamptz)
  where merchant_id = $1::uuid ${claims ? "and (select count(*) from claimed) > 0" : ""}
  returning transactions - $2::int8 as before, newest_at as now
)`;
  const parts = inserts.map(asPart);
  parts.splice(claims ? 1 : 0, 0, counted);
  return `\nwith ${parts.join(",\n")}\nselect now as created_at from counted`;
}

const CLAIMED: Insert<Opening> = {
  name: "claimed",
  table: "idempotency_keys",
  columns: CLAIM,
  derived: { sequence: "1", created_at: "$3::timestamptz" },
  end: "returning sequence",
};

const openedAs = (number: string): Insert<Opening> => ({
  name: "opened",
  table: "transactions",
  columns: TRANSACTION,
  beside: `, ${number} as number, c.now from counted c`,
  derived: {
    bytes: bytesOf("i"),
    card_last_four: "right(i.card_mask, 4)",
    number: "i.number",
    created_at: "i.now",
  },
});
const OPENED = openedAs("generate_series(c.before + 1, c.before + $2::int8)");
const OPENED_ALONE = openedAs("c.before + 1");

const BEGUN: Insert<Opening> = {
  name: "begun",
  table: "events",
  columns: FIRST_EVENT,
  beside: ", c.now from counted c",
  derived: { node_id: "$4::int4", created_at: "i.now" },
};

const KEPT: Insert<Opening> = {
  name: "kept",
  table: "sealed_cards",
  columns: SEALED,
  beside: ", c.now from counted c",
  derived: { look_at: lookAt("i.now") },
};

const TAKING_SEATS: Insert<Seated> = {
  name: "seated",
  table: "passengers",
  columns: SEATED,
  beside: ", c.before from counted c",
  derived: { number: "i.before + i.number" },
};

const CARDS_STORED: Insert<Opening> = {
  name: "stored",
  table: "cards",
  columns: STORED,
  beside: ", c.now from counted c",
  derived: {
    created_at: "i.now",
    updated_at: "i.now",
    cardholder: "i.cardholder::json",
    consent: "i.consent::json",
    look_at: lookAtNewCard("i.now"),
  },
};

const CARDS_CHARGED: Insert<Opening> = {
  name: "charged",
  table: "charged_cards",
  columns: CHARGED,
  beside: ", c.now from counted c",
  derived: { charged_at: "i.now" },
};
