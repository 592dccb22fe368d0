// Which file of declared state was applied last, and where the gateway differs from it by now.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export interface DeclaredDifference {
  readonly record: string;
  readonly id: string;
  readonly name: string;
  readonly merchant_id: string | null;
  readonly field: string | null;
  readonly declared: string | null;
  readonly now: string | null;
  readonly since: string | null;
  readonly actor: string | null;
}

export interface DeclaredState {
  readonly applied: {
    readonly at: string;
    readonly actor: string;
    readonly file: string;
    readonly sha256: string;
  } | null;
  readonly differences: readonly DeclaredDifference[];
  readonly differences_total: number;
}

/** For those who see all merchants. */
export function useDeclaredState() {
  return useRead({
    queryKey: ["setup", "declared-state"],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly declared_state: DeclaredState }>("/operator/declared-state", { signal })).declared_state,
  });
}
