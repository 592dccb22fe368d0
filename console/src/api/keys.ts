// The data keys under which card numbers and processors' secrets are sealed: how many things under which, never a key.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export interface DataKey {
  readonly id: number;
  readonly state: "in use" | "used up" | "retiring" | "retired";
  readonly master_key: string;
  readonly cards: number;
  readonly cards_estimated: boolean;
  readonly secrets: number;
  readonly created_at: string;
  readonly retired_at: string | null;
}

/** Oldest first. */
export function useDataKeys() {
  return useRead({
    queryKey: ["setup", "keys"],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly keys: readonly DataKey[] }>("/operator/keys", { signal })).keys,
  });
}
