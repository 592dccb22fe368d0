// The data keys as operators see them: which is in use, and how much is sealed under each. Nothing that opens anything is in it.

import { type ListedDataKey, listDataKeys } from "../journal/data-keys.ts";
import type { Sql } from "../journal/database.ts";
import { countByKey, estimateByKey } from "../journal/sealed-cards.ts";
import { countSettingsByKey } from "./seal-records.ts";

export const KEY_STATES = ["in use", "used up", "retiring", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];

export interface ShownDataKey {
  readonly id: number;
  readonly state: KeyState;
  readonly master_key: string;
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
  const cards = exact ? { rows: await countByKey(sql), estimated: false } : await estimateByKey(sql);
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

function stateOf({ id, retiredAt, passedAt }: ListedDataKey, newest: number | undefined): KeyState {
  if (id === newest) return "in use";
  if (retiredAt === null) return "used up";
  return passedAt === null ? "retiring" : "retired";
}
