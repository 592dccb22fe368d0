// One comparison: what it found, in words, what has to be looked into first.

import { useLocation, useSearch } from "wouter";
import type { Reconciliation, ReconciliationFinding } from "../../../packages/client/src/openapi.ts";
import { useProcessors } from "../api/queries.ts";
import { useReconciliation } from "../api/reconciliations.ts";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Amount, Copyable, Facts, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { exactly } from "../words/dates.ts";
import { comparedIn, statusOfFinding, statusOfRun } from "../words/reconciliation.ts";

const BACK = { href: "/reconciliations", to: "Reconciliation" };

export function ReconciliationPage({ id }: { readonly id: string }) {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const { data, error, refetch } = useReconciliation(id, page);
  if (data === undefined)
    return (
      <Page title="Reconciliation" back={BACK}>
        {error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />}
      </Page>
    );
  return (
    <Page title={comparedIn(data.reconciliation)} back={BACK}>
      <Panel title="Result" aside={<Status label={statusOfRun(data.reconciliation)} />}>
        <Result run={data.reconciliation} />
      </Panel>
      <Panel title="What was found" flush>
        {data.findings.length === 0 && data.reconciliation.counts.withheld > 0 ? (
          <Empty title="Nothing about your operations">Findings about others are shown to the operator.</Empty>
        ) : data.findings.length === 0 ? (
          <Empty title="Nothing differs">Every line matches an operation here, and every operation a line there.</Empty>
        ) : (
          <Findings findings={data.findings} />
        )}
      </Panel>
      <Pages page={page} last={data.meta.last_page} show={(next) => go(`/reconciliations/${id}?page=${next}`)} />
    </Page>
  );
}

function Result({ run }: { readonly run: Reconciliation }) {
  const { data: processors = [] } = useProcessors();
  const { lines, pending, not_closed, chargebacks, near_midnight, too_recent, others, malformed, withheld } =
    run.counts;
  const some = (count: number) => (count === 0 ? undefined : count.toLocaleString("en"));
  return (
    <Facts
      facts={[
        { name: "Processor", value: processors.find(({ id }) => id === run.processor_id)?.name ?? run.processor_id },
        { name: "When", value: exactly(run.created_at) },
        { name: "Lines", value: lines.toLocaleString("en") },
        { name: "Without an outcome yet", value: some(pending) },
        { name: "Settled there, undone here", value: some(not_closed) },
        { name: "Moved by disputes", value: some(chargebacks) },
        { name: "Close to midnight", value: some(near_midnight) },
        { name: "Sent in the last five minutes", value: some(too_recent) },
        { name: "Of other accounts", value: some(others) },
        {
          name: "About operations of others",
          value: withheld === 0 ? undefined : `${some(withheld)}: the operator sees them`,
        },
        { name: "Could not be read", value: some(malformed) },
        { name: "Id", value: <Copyable value={run.id} what="the comparison's id" /> },
      ]}
    />
  );
}

const Findings = ({ findings }: { readonly findings: readonly ReconciliationFinding[] }) => (
  <table className={table.table} aria-label="What was found, differences first">
    <thead>
      <tr>
        <th>Finding</th>
        <th className={`${table.number} wide`}>Here</th>
        <th className={`${table.number} wide`}>There</th>
        <th className="wide">Transaction</th>
      </tr>
    </thead>
    <tbody>
      {findings.map(({ number, message, here, there, transaction_id, ...finding }) => (
        <tr key={number}>
          <td style={{ maxWidth: "none" }}>
            <Status label={statusOfFinding(finding)} />
            <div>{message}</div>
            {transaction_id !== null && (
              <PageLink className="narrow" href={`/transactions/${transaction_id}`}>
                The transaction
              </PageLink>
            )}
          </td>
          {[here, there].map((side, index) => (
            <td key={index === 0 ? "here" : "there"} className={`${table.number} wide`}>
              {side === null ? "–" : <Amount {...side} />}
            </td>
          ))}
          <td className="wide">
            {transaction_id === null ? "–" : <PageLink href={`/transactions/${transaction_id}`}>Look at it</PageLink>}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
