// What was compared with the processors' books and settlement reports, newest first, and whether anything differs.

import { useLocation, useSearch } from "wouter";
import type { Reconciliation } from "../../../packages/client/src/openapi.ts";
import { useProcessors } from "../api/queries.ts";
import { useReconciliations } from "../api/reconciliations.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";
import { comparedIn, statusOfRun } from "../words/reconciliation.ts";

export function ReconciliationsPage() {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const list = useReconciliations(page);
  return (
    <Page title="Reconciliation" about="The processors' records, compared with the gateway's.">
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.reconciliations.length === 0 && list.data.meta.total > 0 ? (
            <PastEnd />
          ) : list.data.reconciliations.length === 0 ? (
            <Empty title="Nothing was compared yet">
              An operator compares a day's books or a settlement report by the command line:{" "}
              <span className="code">faregate reconcile</span>.
            </Empty>
          ) : (
            <Runs runs={list.data.reconciliations} />
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => go(`/reconciliations?page=${next}`)} />
    </Page>
  );
}

function Runs({ runs }: { readonly runs: readonly Reconciliation[] }) {
  const { data: processors = [] } = useProcessors();
  return (
    <table className={table.table} aria-label="Comparisons, newest first">
      <thead>
        <tr>
          <th>Compared with</th>
          <th className="wide">Processor</th>
          <th>Result</th>
          <th className={`${table.number} wide`}>Lines</th>
          <th className="wide">When (UTC)</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <LinkedRow key={run.id} href={`/reconciliations/${run.id}`}>
            <td>
              <RowLink>{comparedIn(run)}</RowLink>
            </td>
            <td className="wide cut">
              {processors.find(({ id }) => id === run.processor_id)?.name ?? run.processor_id}
            </td>
            <td className={table.status}>
              <Status label={statusOfRun(run)} />
            </td>
            <td className={`${table.number} wide`}>{run.counts.lines.toLocaleString("en")}</td>
            <td className={`wide figures ${table.quiet}`}>{momentOf(run.created_at)}</td>
          </LinkedRow>
        ))}
      </tbody>
    </table>
  );
}
