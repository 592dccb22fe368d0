// The merchant's settlement batches, newest first.

import { useLocation, useSearch } from "wouter";
import { useBatches, useProcessors } from "../api/queries.ts";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { PageLink, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { Days } from "../settlement/days.tsx";
import { pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { dateOf, timeOf } from "../words/dates.ts";

export function BatchesPage() {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const list = useBatches(page);
  const { data: processors = [] } = useProcessors();
  const nameOf = (id: string) => processors.find((one) => one.id === id)?.name ?? id;

  return (
    <Page
      title="Settlement"
      about="Each cut-off closes a batch for each processor: what was captured before it settles together."
    >
      <Days />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.batches.length === 0 ? (
            <Empty title="No batches yet">The first one appears when the cut-off of captured money has passed.</Empty>
          ) : (
            <table className={table.table} aria-label="Settlement batches, newest first">
              <thead>
                <tr>
                  <th>Cut-off (UTC)</th>
                  <th>Processor</th>
                  <th>Currency</th>
                </tr>
              </thead>
              <tbody>
                {list.data.batches.map(({ id, cutoff_at, processor_id, currency }) => (
                  <tr key={id} className={table.row}>
                    <td>
                      <PageLink className={table.link} href={`/batches/${id}`}>
                        {dateOf(cutoff_at)}, {timeOf(cutoff_at)}
                      </PageLink>
                    </td>
                    <td className="cut">{nameOf(processor_id)}</td>
                    <td>{currency}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => go(`/batches?page=${next}`)} />
    </Page>
  );
}
