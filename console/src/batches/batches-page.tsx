// The merchant's settlement batches, newest first.

import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useBatches, useProcessors } from "../api/queries.ts";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { Days } from "../settlement/days.tsx";
import { pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { BatchRow } from "./batch-row.tsx";

const AT_ONCE = 2;

export function BatchesPage() {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const list = useBatches(page);
  const { data: processors = [] } = useProcessors();
  // Those that are seen at once, the others in turn: each is added up from all that is in it.
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const answeredHere = list.data?.batches.filter(({ id }) => answered.has(id)).length ?? 0;
  const nameOf = (id: string) => processors.find((one) => one.id === id)?.name ?? id;

  return (
    <Page
      title="Settlement"
      about="Each cut-off closes a batch for each processor. Everything captured before it settles together."
    >
      <Days />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.batches.length === 0 && list.data.meta.total > 0 ? (
            <PastEnd />
          ) : list.data.batches.length === 0 ? (
            <Empty title="No batches yet">The first one appears when the cut-off of captured money has passed.</Empty>
          ) : (
            <table className={table.table} aria-label="Settlement batches, newest first">
              <thead>
                <tr>
                  <th>Cut-off (UTC)</th>
                  <th className="wide">Processor</th>
                  <th className={`wide ${table.number}`}>Sales and captures</th>
                  <th className={`wide ${table.number}`}>Voided</th>
                  <th className={`wide ${table.number}`}>Refunds</th>
                  <th className={table.number}>To the merchant</th>
                </tr>
              </thead>
              <tbody>
                {list.data.batches.map((batch, index) => (
                  <BatchRow
                    key={batch.id}
                    batch={batch}
                    processor={nameOf(batch.processor_id)}
                    wanted={index < answeredHere + AT_ONCE}
                    onAnswer={() => setAnswered((before) => new Set([...before, batch.id]))}
                  />
                ))}
              </tbody>
            </table>
          )}
        </Panel>
      )}
      <Pages
        page={page}
        last={list.data?.meta.last_page}
        show={(next) => go(next === 1 ? "/batches" : `/batches?page=${next}`)}
      />
    </Page>
  );
}
