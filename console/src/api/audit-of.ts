// What the audit log has about one record.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";
import { may, useSignedIn } from "./session.ts";

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  readonly outcome: "done" | "refused";
}

/** The newest fifty. A merchant's administrators read what concerns their merchant. */
export function useAuditOf(subject: string) {
  const who = useSignedIn();
  const log = may(who, "operator_read") ? "audit-log" : `merchants/${who?.merchantId}/audit-log`;
  return useRead({
    queryKey: ["transaction", subject, "audit"],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly entries: readonly AuditEntry[] }>(`/operator/${log}?${new URLSearchParams({ subject })}`, {
          signal,
        })
      ).entries,
  });
}
