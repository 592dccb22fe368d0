// The data keys as operators see them: which is in use, and how much is sealed under each. Nothing that opens anything is in it.

import { type ListedDataKey, listDataKeys } from "../journal/data-keys.ts";
import type { Sql } from "../journal/database.ts";
import { type Counted, countByKey, estimateByKey, SEALED_TABLES } from "../journal/sealed-cards.ts";
import { countSettingsByKey } from "./seal-records.ts";

export const KEY_STATES = ["in use", "used up", "retiring", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];

export interface ShownDataKey {
  readonly id: number;
  readonly state: KeyState;
  readonly master_key: string;
  /** Card numbers: of stored cards, and for follow-ups of transactions. */
  readonly cards: number;
  /** Only a part of them was counted. */
  readonly cards_estimated: boolean;
  readonly secrets: number;
  readonly messages: number;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}

/** Oldest first. @param exact whether all that is sealed is read, to count it */
export async function showDataKeys(sql: Sql, exact: boolean): Promise<ShownDataKey[]> {
  const cards = await countCards(sql, exact);
  const secrets = await countSettingsByKey(sql);
  const listed = await listDataKeys(sql);
  const newest = listed.findLast(({ retiredAt }) => retiredAt === null)?.id;
  return listed.map((key) => ({
    id: key.id,
    state: stateOf(key, newest),
    master_key: key.masterKeyId,
    cards: cards.rows.get(key.id) ?? 0,
    cards_estimated: cards.estimated,
    secrets: secrets.get(key.id) ?? 0,
    messages: key.leased,
    created_at: key.createdAt,
    retired_at: key.retiredAt,
  }));
}

async function countCards(sql: Sql, exact: boolean): Promise<Counted> {
  const rows = new Map<number, number>();
  let estimated = false;
  for (const table of SEALED_TABLES) {
    const counted: Counted = exact
      ? { rows: await countByKey(sql, table), estimated }
      : await estimateByKey(sql, table);
    for (const [key, cards] of counted.rows) rows.set(key, (rows.get(key) ?? 0) + cards);
    estimated ||= counted.estimated;
  }
  return { rows, estimated };
}

function stateOf({ id, retiredAt, passedAt }: ListedDataKey, newest: number | undefined): KeyState {
  if (id === newest) return "in use";
  if (retiredAt === null) return "used up";
  return passedAt === null ? "retiring" : "retired";
}
