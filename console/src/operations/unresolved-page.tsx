// What is in doubt at all merchants, what waits longest first: since when, what is known, what the gateway does about it and when.
// Nothing here has to be pressed: the gateway asks until it knows. What the processor never tells can be entered.

import { useLocation, useSearch } from "wouter";
import { useMerchants } from "../api/merchants.ts";
import { useUnresolved } from "../api/operations.ts";
import { useSetup } from "../api/setup.ts";
import { type BarField, FilterBar, type Values, valuesIn } from "../parts/filter-bar.tsx";
import { Pages } from "../parts/pages.tsx";
import { Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import { addressOf, pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { KeptMessages } from "./kept-messages.tsx";
import { UnresolvedRows } from "./unresolved-rows.tsx";

export function UnresolvedPage() {
  return (
    <SetupPage
      title="Unresolved"
      about="Operations without an outcome yet. The gateway asks the processor until there is one; nothing is done twice."
      forOperators
    >
      {(merchantId) => <Unresolved merchantId={merchantId} />}
    </SetupPage>
  );
}

const NAMES = [{ name: "merchant_id" }, { name: "processor_id" }];

/** @param merchantId that is looked at: the page is about all, unless another one is asked for */
function Unresolved({ merchantId }: { readonly merchantId: string }) {
  const address = useSearch();
  const [, go] = useLocation();
  const [values, page] = [valuesIn(address, NAMES), pageIn(address)];
  const list = useUnresolved(values, page);
  const fields = useFields(values.merchant_id ?? merchantId);
  const show = (wanted: Values, wantedPage = 1) => {
    // A processor record is one merchant's.
    const { processor_id: _, ...others } = wanted;
    const same = wanted.merchant_id === values.merchant_id;
    go(`/unresolved?${addressOf(same ? wanted : others, wantedPage)}`);
  };
  return (
    <>
      <FilterBar fields={fields} values={values} show={show} />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.unresolved.length === 0 && list.data.meta.total > 0 ? (
            <PastEnd />
          ) : list.data.unresolved.length === 0 ? (
            <Empty title="Nothing is in doubt">Each operation has an outcome.</Empty>
          ) : (
            <table className={table.table} aria-label="Unresolved, oldest first">
              <thead>
                <tr>
                  <th>Operation</th>
                  <th className={table.number}>Amount</th>
                  <th className="wide">Order</th>
                  <th className="wide">Unknown since (UTC)</th>
                  <th className="wide">Last answer</th>
                  <th>Asked again</th>
                </tr>
              </thead>
              <tbody>
                {list.data.unresolved.map((event) => (
                  <UnresolvedRows key={event.event_id} event={event} />
                ))}
              </tbody>
            </table>
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => show(values, next)} />
      <KeptMessages filters={values} />
    </>
  );
}

function useFields(merchantId: string): readonly BarField[] {
  const { data: merchants = [] } = useMerchants({ enabled: true });
  const { data: processors = [] } = useSetup("processors", merchantId);
  const choices = (all: readonly { readonly id: string; readonly name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  return [
    { name: "merchant_id", label: "Whose", placeholder: "All merchants", choices: choices(merchants) },
    { name: "processor_id", label: "At the processor", placeholder: "All", choices: choices(processors) },
  ];
}
