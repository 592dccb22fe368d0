// Orders that are charged in several payments: newest first, by filters that stand in the address.

import { useLocation, useSearch } from "wouter";
import type { Plan } from "../../../packages/client/src/openapi.ts";
import { usePlans } from "../api/plans.ts";
import { type BarField, FilterBar, type Values, valuesIn } from "../parts/filter-bar.tsx";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Amount, Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { addressOf, pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { dateOf } from "../words/dates.ts";
import { nextOf, PLAN_STATUSES } from "../words/plans.ts";

const FIELDS: readonly BarField[] = [
  {
    name: "status",
    label: "Status",
    choices: Object.entries(PLAN_STATUSES).map(([value, { word }]) => ({ value, label: word })),
  },
  { name: "card_id", label: "Card on file" },
];

export function PlansPage() {
  const address = useSearch();
  const [, go] = useLocation();
  const [values, page] = [valuesIn(address, FIELDS), pageIn(address)];
  const list = usePlans(values, page);
  const show = (wanted: Values, wantedPage = 1) => go(`/plans?${addressOf(wanted, wantedPage)}`);
  const total = list.data?.meta.total;
  return (
    <Page
      title="Plans"
      about={
        total === undefined
          ? " "
          : `${total.toLocaleString("en")} ${total === 1 ? "order" : "orders"} charged in several payments.`
      }
    >
      <FilterBar fields={FIELDS} values={values} show={show} />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.plans.length === 0 ? (
            <Nothing filtered={Object.keys(values).length > 0} total={list.data.meta.total} />
          ) : (
            <PlanTable plans={list.data.plans} />
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => show(values, next)} />
    </Page>
  );
}

function Nothing({ filtered, total }: { readonly filtered: boolean; readonly total: number }) {
  if (total > 0) return <PastEnd />;
  return filtered ? (
    <Empty title="Nothing matches">Remove a filter, or search for something else.</Empty>
  ) : (
    <Empty title="No plans">When a program has an order charged in several payments, it appears here.</Empty>
  );
}

const PlanTable = ({ plans }: { readonly plans: readonly Plan[] }) => (
  <table className={table.table} aria-label="Plans, newest first">
    <thead>
      <tr>
        <th className={table.number}>Total</th>
        <th className="wide">Status</th>
        <th>Order</th>
        <th className={`wide ${table.number}`}>Charged</th>
        <th className="wide">Next charge</th>
        <th className="wide">Made</th>
      </tr>
    </thead>
    <tbody>
      {plans.map((plan) => {
        const next = nextOf(plan)?.next_charge_at ?? null;
        return (
          <LinkedRow key={plan.id} href={`/plans/${plan.id}`}>
            <td className={table.number}>
              <Amount amount={plan.total} currency={plan.currency} />
              <div className="narrow">
                <Status label={PLAN_STATUSES[plan.status]} />
              </div>
            </td>
            <td className="wide">
              <Status label={PLAN_STATUSES[plan.status]} />
            </td>
            <td className="cut">
              <RowLink>{plan.merchant_transaction_id}</RowLink>
            </td>
            <td className={`wide ${table.number}`}>
              <Amount amount={plan.charged} currency={plan.currency} />
            </td>
            <td className="wide figures">{next === null ? "–" : dateOf(next)}</td>
            <td className={`wide figures ${table.quiet} ${table.whole}`}>{dateOf(plan.created_at)}</td>
          </LinkedRow>
        );
      })}
    </tbody>
  </table>
);
