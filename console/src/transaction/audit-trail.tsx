// Who did what to a transaction in the console: from the audit log, for operators and the merchant's administrators.

import type { AuditEntry } from "../api/audit-of.ts";
import { useAuditOf } from "../api/audit-of.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { actionOf } from "../words/audit.ts";
import { exactly, momentOf } from "../words/dates.ts";

export function AuditTrail({ transactionId }: { readonly transactionId: string }) {
  const who = useSignedIn();
  const reads = may(who, "operator_read") || may(who, "set_up");
  return who?.kind === "session" && reads ? <Trail transactionId={transactionId} /> : null;
}

function Trail({ transactionId }: { readonly transactionId: string }) {
  const { data: entries, error, refetch } = useAuditOf(transactionId);
  return (
    <Panel title="Who did what" flush>
      {error !== null && <Fault fault={error} again={() => void refetch()} />}
      {error === null && entries === undefined && <Loading />}
      {entries?.length === 0 && (
        <Empty small title="Nobody by hand">
          What people did in the console is listed here. What programs did with an API token is under What happened.
        </Empty>
      )}
      {entries !== undefined && entries.length > 0 && <Table entries={entries} />}
    </Panel>
  );
}

function Table({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <table className={table.table} aria-label="Who did what, newest first">
      <thead>
        <tr>
          <th>Who</th>
          <th>What</th>
          <th className="wide">From</th>
          <th className="wide">When (UTC)</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, actor, action, source, at, outcome }) => (
          <tr key={id}>
            <td className="cut">{actor}</td>
            <td>
              {actionOf({ action })} {outcome === "refused" && <Status label={{ word: "Refused", tone: "bad" }} />}
              <div className={`narrow figures ${table.quiet}`}>{momentOf(at)}</div>
            </td>
            <td className="wide code">{source}</td>
            <td className="wide figures" title={exactly(at)}>
              {momentOf(at)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
