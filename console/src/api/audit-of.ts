// What the audit log has about one record.

import { useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  readonly outcome: "done" | "refused";
}

/** The newest fifty. */
export function useAuditOf(subject: string) {
  return useQuery({
    queryKey: ["transaction", subject, "audit"],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly entries: readonly AuditEntry[] }>(
          `/operator/audit-log?${new URLSearchParams({ subject })}`,
          { signal },
        )
      ).entries,
  });
}
