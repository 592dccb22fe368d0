// What looked like card testing within the last 30 days: what the cards had in common, and what became of the charges.

import { type CardTestingReport, useCardTestingReports } from "../api/card-testing.ts";
import { Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";

export function Reports({ merchantId }: { readonly merchantId: string }) {
  const { data: reports, error, refetch } = useCardTestingReports(merchantId);
  return (
    <Panel title="What was delayed and refused" flush>
      {error !== null && <Fault fault={error} again={() => void refetch()} />}
      {error === null && reports === undefined && <Loading />}
      {reports?.length === 0 && (
        <Empty small title="Nothing in the last 30 days">
          What looks like card testing appears here by itself.
        </Empty>
      )}
      {reports !== undefined && reports.length > 0 && <Table reports={reports} />}
    </Panel>
  );
}

const SIGNALS: Readonly<Record<CardTestingReport["signal"], string>> = {
  range: "Cards of",
  address: "From",
  token: "By the token",
};

function Table({ reports }: { readonly reports: readonly CardTestingReport[] }) {
  return (
    <table className={table.table} aria-label="What was delayed and refused, newest first">
      <thead>
        <tr>
          <th>What they have in common</th>
          <th className={`${table.number} wide`}>Cards</th>
          <th className={`${table.number} wide`}>Declined</th>
          <th className={`${table.number} wide`}>Delayed</th>
          <th className={table.number}>Refused</th>
          <th className="wide">First, newest (UTC)</th>
        </tr>
      </thead>
      <tbody>
        {reports.map(({ signal, shown, cards, declined, slowed, refused, first_at, newest_at }) => (
          <tr key={`${signal} ${shown}`}>
            <td className="cut">
              {SIGNALS[signal]} <span className="code">{shown}</span>
            </td>
            <td className={`${table.number} wide`}>{cards.toLocaleString("en")}</td>
            <td className={`${table.number} wide`}>{declined.toLocaleString("en")}</td>
            <td className={`${table.number} wide`}>{slowed.toLocaleString("en")}</td>
            <td className={table.number}>{refused.toLocaleString("en")}</td>
            <td className="wide figures">
              {momentOf(first_at)}
              <div className={table.quiet}>{momentOf(newest_at)}</div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
