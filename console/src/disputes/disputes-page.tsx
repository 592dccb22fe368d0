// What payers' banks dispute: newest first, by filters that stand in the address.

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLocation, useSearch } from "wouter";
import type { Dispute } from "../../../packages/client/src/openapi.ts";
import { useNow } from "../api/clock.ts";
import { useDisputes } from "../api/disputes.ts";
import { useProcessors } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { type BarField, FilterBar, type Values, valuesIn } from "../parts/filter-bar.tsx";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Amount, Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { addressOf, pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { dateOf } from "../words/dates.ts";
import { type Due as DueDate, dueOf, STAGES, STATES, statusOfDispute } from "../words/disputes.ts";
import { DisputeDialog } from "./dispute-dialog.tsx";

const FIELDS: readonly BarField[] = [
  {
    name: "status",
    label: "Status",
    choices: [...STATES.slice(0, 2), { value: "ended", label: "Ended" }],
  },
  { name: "outcome", label: "Ended", choices: STATES.slice(2) },
  { name: "stage", label: "Stage", choices: Object.entries(STAGES).map(([value, label]) => ({ value, label })) },
  { name: "processor_id", label: "Processor" },
  { name: "respond_by_lte", label: "Response due by", type: "date" },
  { name: "created_at_gte", label: "Known from", type: "date" },
  { name: "created_at_lte", label: "Known to", type: "date" },
];

export function DisputesPage() {
  const address = useSearch();
  const [, go] = useLocation();
  const who = useSignedIn();
  const [entering, dialog] = useDisclosure(false);
  const { data: processors = [] } = useProcessors();
  const [values, page] = [valuesIn(address, FIELDS), pageIn(address)];
  const list = useDisputes(values, page);
  const show = (wanted: Values, wantedPage = 1) => go(`/disputes?${addressOf(wanted, wantedPage)}`);
  const total = list.data?.meta.total;
  const fields = FIELDS.map((field) =>
    field.name === "processor_id"
      ? { ...field, choices: processors.map(({ id, name }) => ({ value: id, label: name })) }
      : field,
  );

  return (
    <Page
      title="Disputes"
      about={
        total === undefined
          ? " "
          : `${total.toLocaleString("en")} ${total === 1 ? "dispute" : "disputes"}. Evidence is uploaded at the processor.`
      }
      actions={
        may(who, "operate") &&
        who?.merchantId !== undefined && (
          <Button variant="default" onClick={dialog.open}>
            Enter a dispute
          </Button>
        )
      }
    >
      <FilterBar fields={fields} values={values} show={show} />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.disputes.length === 0 ? (
            <Nothing filtered={Object.keys(values).length > 0} total={list.data.meta.total} />
          ) : (
            <DisputeTable disputes={list.data.disputes} />
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => show(values, next)} />
      {entering && <DisputeDialog close={dialog.close} />}
    </Page>
  );
}

function Nothing({ filtered, total }: { readonly filtered: boolean; readonly total: number }) {
  if (total > 0) return <PastEnd />;
  return filtered ? (
    <Empty title="Nothing matches">Remove a filter, or search for something else.</Empty>
  ) : (
    <Empty title="No disputes">
      When a payer's bank asks about a payment, or takes it back, it appears here as soon as the processor reports it.
    </Empty>
  );
}

function DisputeTable({ disputes }: { readonly disputes: readonly Dispute[] }) {
  const now = useNow();
  return (
    <table className={table.table} aria-label="Disputes, newest first">
      <thead>
        <tr>
          <th className={table.number}>Amount</th>
          <th className="wide">Status</th>
          <th>Order</th>
          <th className="wide">Stage</th>
          <th className="wide">Reason</th>
          <th className="wide">Respond by</th>
          <th className="wide">Known since</th>
        </tr>
      </thead>
      <tbody>
        {disputes.map((dispute) => (
          <LinkedRow key={dispute.id} href={`/disputes/${dispute.id}`}>
            <td className={table.number}>
              <Amount amount={dispute.amount} currency={dispute.currency} />
              <div className="narrow">
                <Status label={statusOfDispute(dispute)} />
              </div>
            </td>
            <td className="wide">
              <Status label={statusOfDispute(dispute)} />
            </td>
            <td className="cut">
              <RowLink>{dispute.merchant_transaction_id}</RowLink>
              <div className={`narrow ${table.quiet}`}>{dueOf(dispute, now)?.left ?? STAGES[dispute.stage]}</div>
            </td>
            <td className="wide">{STAGES[dispute.stage]}</td>
            <td className="wide cut">{dispute.reason ?? dispute.reason_code ?? "–"}</td>
            <td className="wide">
              <Due due={dueOf(dispute, now)} />
            </td>
            <td className={`wide figures ${table.quiet} ${table.whole}`}>{dateOf(dispute.created_at)}</td>
          </LinkedRow>
        ))}
      </tbody>
    </table>
  );
}

const Due = ({ due }: { readonly due: DueDate | undefined }) =>
  due === undefined ? (
    "–"
  ) : (
    <>
      <b style={{ color: `var(--${due.tone})` }}>{due.left}</b>
      <div className={`figures ${table.quiet} ${table.whole}`}>{due.at}</div>
    </>
  );
