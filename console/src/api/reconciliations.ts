// What comparisons with the processors' books and reports found.

import { keepPreviousData } from "@tanstack/react-query";
import type {
  Reconciliation,
  ReconciliationFinding,
  ReconciliationList,
} from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

interface Findings {
  readonly reconciliation: Reconciliation;
  readonly findings: readonly ReconciliationFinding[];
  readonly meta: ReconciliationList["meta"];
}

export function useReconciliations(page: number) {
  return useRead({
    queryKey: ["reconciliations", page],
    queryFn: ({ signal }) => ask<ReconciliationList>(`/api/reconciliations?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useReconciliation(id: string, page: number) {
  return useRead({
    queryKey: ["reconciliations", id, page],
    queryFn: ({ signal }) => ask<Findings>(`/api/reconciliations/${encodeURIComponent(id)}?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}
