// Opens transactions: each with its first event, the claim of its key, and its sealed card and counted card where there are any.
// Mostly the usual statement (usual-opening.ts) writes them; what it does not write, the one here does.

import type { Event, Transaction } from "../payment/transaction.ts";
import {
  arrayOf,
  type Column,
  commonOf,
  type Form,
  formOf,
  type Input,
  inputOf,
  names,
  PLACE,
  parametersFor,
  type Read,
  read,
  shown,
} from "./columns.ts";
import { type Sql, violates } from "./database.ts";
import { isOf } from "./distribution.ts";
import { cast, claimColumns, eventNames, of, run } from "./group-statements.ts";
import { bytesOf, lookAt, lookAtNewCard, NEW_CARD, type Opening, SEALED_CARD } from "./opening-rows.ts";
import { EVENT_COLUMNS, TRANSACTION_COLUMNS } from "./transaction-columns.ts";
import { isUsual, openUsual } from "./usual-opening.ts";
import type { GroupWrite } from "./writer.ts";

export type Opened = { readonly createdAt: Date } | "key-taken";

const OPENING_COLUMNS: readonly Column<Opening>[] = [
  ...of<Opening, Transaction>(TRANSACTION_COLUMNS, ({ intent }) => intent),
  ...of<Opening, Event>(EVENT_COLUMNS, ({ intent }) => intent.events[0]),
  PLACE,
];

/** Numbers the rows that are accepted of each merchant. Those of a single one need not be sorted, which copies each of them twice. */
function nth({ form, claims, locks }: Shape): string {
  if (form === "alone") return "1::int8";
  if (locks) return "row_number() over (partition by merchant_id order by place)";
  return claims ? "row_number() over ()" : "place + 1";
}

// A key that is taken keeps its row out before the merchant's counter moves, so the numbers have no gaps.
const accepted = (shape: Shape, now: string) => `
input as ${shape.input.materialized} (${shape.input.select}),
claimed as (
  insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
  select merchant_id, key, request_hash, id, 1, ${now} from input where key is not null
  on conflict do nothing returning transaction_id
),
accepted as materialized (
  select input.*, ${nth(shape)} as nth
  from input where key is null or id in (select transaction_id from claimed)
),`;

/** Where no row has a key: all are accepted. */
const allAccepted = (shape: Shape) => `
accepted as ${shape.input.materialized} (select input.*, ${nth(shape)} as nth from (${shape.input.select}) input),`;

// Of several merchants the counters are locked in the order of their keys: two nodes that open for the same merchants wait for each
// other and do not deadlock.
const LOCKED = `
locked as materialized (
  select merchant_id from merchant_counters
  where merchant_id = any(array(select distinct merchant_id from accepted)) order by merchant_id for update
),`;

const open = (shape: Shape) => {
  const { form, input, claims, locks, inserts } = shape;
  const { length } = input.sent;
  const [node, now] = [`$${length + 1}::int4`, `$${length + 2}::timestamptz`];
  const rows =
    form === "alone" ? "1::int8 as rows from accepted" : "count(*) as rows from accepted group by merchant_id";
  return `
with${claims ? accepted(shape, now) : allAccepted(shape)}${locks ? LOCKED : ""}
counted as (
  update merchant_counters c
  set transactions = c.transactions + a.rows, newest_at = greatest(c.newest_at, ${now})
  from ${locks ? "locked join" : ""} (select merchant_id, ${rows}) a ${locks ? "using (merchant_id)" : ""}
  where c.merchant_id = a.merchant_id
  returning c.merchant_id, c.transactions - a.rows as before, c.newest_at
),
opened as (
  insert into transactions (${names(TRANSACTION_COLUMNS)}, bytes, card_last_four, amount, number, created_at)
  select ${cast(TRANSACTION_COLUMNS as readonly Column<never>[], "a")}, ${bytesOf("a")}, right(a.card_mask, 4), a.amount,
    c.before + a.nth, c.newest_at
  from accepted a join counted c using (merchant_id)
)${inserts}
insert into events (merchant_id, transaction_id, node_id, created_at, ${eventNames})
select a.merchant_id, a.id, ${node}, c.newest_at, ${cast(EVENT_COLUMNS as readonly Column<never>[], "a")}
from accepted a join counted c using (merchant_id)
returning transaction_id, created_at`;
};

/** What only some openings bring. A part that no row of a group needs is left out: to start it up costs as much as a row. */
interface Extra {
  readonly brings: (row: Opening) => boolean;
  readonly columns: readonly Column<Opening>[];
  /** Of the rows that were accepted (a), with their merchant's counter (c). */
  readonly insert: string;
}

const SEALED_CARDS: Extra = {
  brings: ({ sealedCard }) => sealedCard !== null,
  columns: SEALED_CARD,
  insert: `,
kept as (
  insert into sealed_cards (merchant_id, transaction_id, key_id, sealed, look_at)
  select a.merchant_id, a.id, a.key_id, a.sealed, ${lookAt("c.newest_at")}
  from accepted a join counted c using (merchant_id) where a.key_id is not null
)`,
};

/** What is searched of them. */
const PASSENGERS: Extra = {
  brings: ({ intent }) => intent.passengers !== null,
  columns: [],
  insert: `,
seated as (
  insert into passengers (merchant_id, number, ticket_number, passenger_name)
  select a.merchant_id, c.before + a.nth, one ->> 'ticket_number', one ->> 'passenger_name'
  from accepted a join counted c using (merchant_id) cross join lateral json_array_elements(a.passengers::json) one
)`,
};

const CHARGED_CARDS: Extra = {
  brings: ({ intent }) => intent.cardKey !== undefined,
  columns: [{ name: "card_key", type: "bytea", value: ({ intent }) => intent.cardKey ?? null }],
  insert: `,
charged as (
  insert into charged_cards (merchant_id, transaction_id, card, charged_at)
  select a.merchant_id, a.id, a.card_key, c.newest_at
  from accepted a join counted c using (merchant_id) where a.card_key is not null
)`,
};

const NEW_CARDS: Extra = {
  brings: ({ intent }) => intent.newCard !== undefined,
  columns: NEW_CARD,
  insert: `,
stored as (
  insert into cards (merchant_id, id, user_id, created_at, updated_at, card_mask, card_first_six, card_brand, card_expiry_month,
    card_expiry_year, fingerprint, key_id, sealed, cardholder, consent, stored_by, look_at)
  select a.merchant_id, a.new_card_id, a.user_id, c.newest_at, c.newest_at, a.card_mask, a.card_first_six, a.card_brand,
    a.card_expiry_month, a.card_expiry_year, a.new_card_fingerprint, a.new_card_key_id, a.new_card_sealed,
    a.new_card_cardholder::json, a.new_card_consent::json, a.id, ${lookAtNewCard("c.newest_at")}
  from accepted a join counted c using (merchant_id) where a.new_card_id is not null
)`,
};

/** What a group needs of the statement. */
interface Shape {
  readonly form: Form;
  readonly input: Input<Opening>;
  readonly claims: boolean;
  /** Of several merchants. */
  readonly locks: boolean;
  readonly inserts: string;
}

/** Of the shapes that there were, each prepared once: a few of many that there could be. */
const statements = new Map<string, { readonly input: Input<Opening>; readonly text: string }>();

function statementFor(its: Read<Opening>) {
  const { rows } = its;
  const extras = [SEALED_CARDS, PASSENGERS, CHARGED_CARDS, NEW_CARDS].filter(({ brings }) => rows.some(brings));
  const claims = rows.some(({ claim }) => claim !== null);
  const locks = rows.some(({ intent }) => intent.merchantId !== rows[0]?.intent.merchantId);
  const inserts = extras.map(({ insert }) => insert).join("");
  const form = formOf(rows);
  const common = commonOf(OPENING_COLUMNS, its);
  const shape = `${form} ${claims} ${locks} ${inserts} ${shown(common)}`;
  const known = statements.get(shape);
  if (known !== undefined) return known;
  const more = [...(claims ? claimColumns<Opening>() : []), ...extras.flatMap((extra) => extra.columns)];
  const input = inputOf([...OPENING_COLUMNS, ...more], form, common);
  const statement = { input, text: open({ form, input, claims, locks, inserts }) };
  statements.set(shape, statement);
  return statement;
}

/** Whoever repeats requests repeats several. As long as keys are found to be taken, the usual statement is not tried for what has a key. */
const TAKEN_TOGETHER_MS = 1_000;

/**
 * @param distributed then all rows of a group have one merchant, and are written by one-merchant/open.ts
 * @param nowMs milliseconds that never go back
 */
export function opening(
  node: number,
  now: () => Date,
  distributed = false,
  nowMs = () => performance.now(),
): GroupWrite<Opening, Opened> {
  let takenAtMs = Number.NEGATIVE_INFINITY;
  const isTried = (rows: readonly Opening[]): boolean =>
    isUsual(rows) && (nowMs() - takenAtMs >= TAKEN_TOGETHER_MS || rows.every(({ claim }) => claim === null));

  const usual = async (sql: Sql, rows: readonly Opening[]): Promise<readonly Opened[] | undefined> => {
    try {
      const createdAt = await openUsual(sql, rows, node, now());
      return rows.map(() => ({ createdAt }));
    } catch (fault) {
      if (!violates(fault, "idempotency_keys_pkey")) throw fault;
      return undefined;
    }
  };

  const whole = async (sql: Sql, rows: readonly Opening[]): Promise<readonly Opened[]> => {
    const its = read(rows);
    const { text, input } = statementFor(its);
    const written = await run<{ transaction_id: string; created_at: Date }>(sql, text, [
      ...parametersFor(sql, input, its),
      node,
      now(),
    ]);
    const opened = results(rows, written).map((createdAt) => (createdAt ? { createdAt } : ("key-taken" as const)));
    if (opened.includes("key-taken")) takenAtMs = nowMs();
    return opened;
  };

  const results = (rows: readonly Opening[], written: readonly { transaction_id: string; created_at: Date }[]) => {
    const created = new Map(written.map((row) => [row.transaction_id, row.created_at]));
    return rows.map(({ intent }) => created.get(intent.id));
  };
  return {
    statement: async (sql, rows) => (isTried(rows) && (await usual(sql, rows))) || whole(sql, rows),
    look: async (sql, rows) => {
      // By the event, too: in one millisecond, two nodes give a transaction of the same idempotency key the same id.
      const found = await sql<{ transaction_id: string; created_at: Date }[]>`
        select transaction_id, created_at from events
        where ${isOf(sql, distributed ? rows[0]?.intent.merchantId : undefined)} and (merchant_id, transaction_id, id) in
          (select * from unnest(${arrayOf(
            sql,
            "uuid",
            rows.map(({ intent }) => intent.merchantId),
          )},
            ${arrayOf(
              sql,
              "uuid",
              rows.map(({ intent }) => intent.id),
            )},
            ${arrayOf(
              sql,
              "uuid",
              rows.map(({ intent }) => intent.events[0].id),
            )}))
          and sequence = 1`;
      return results(rows, found).map((createdAt) => createdAt && { createdAt });
    },
  };
}
