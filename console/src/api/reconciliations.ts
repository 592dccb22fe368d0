// What comparisons with the processors' books and reports found.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type {
  Reconciliation,
  ReconciliationFinding,
  ReconciliationList,
} from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";

interface Findings {
  readonly reconciliation: Reconciliation;
  readonly findings: readonly ReconciliationFinding[];
  readonly meta: ReconciliationList["meta"];
}

export function useReconciliations(page: number) {
  return useQuery({
    queryKey: ["reconciliations", page],
    queryFn: ({ signal }) => ask<ReconciliationList>(`/api/reconciliations?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useReconciliation(id: string, page: number) {
  return useQuery({
    queryKey: ["reconciliations", id, page],
    queryFn: ({ signal }) => ask<Findings>(`/api/reconciliations/${encodeURIComponent(id)}?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}
