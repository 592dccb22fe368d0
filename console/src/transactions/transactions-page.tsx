// The list of transactions: 50 a page, newest first, new ones by themselves. Filters and page stand in the address.

import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLocation, useSearch } from "wouter";
import { useTransactions } from "../api/queries.ts";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { Export } from "./export.tsx";
import { FilterForm } from "./filter-form.tsx";
import { addressOf, type Filters, filtersIn, labelOf, pageIn } from "./filters.ts";
import { TransactionTable } from "./transaction-table.tsx";
import classes from "./transactions.module.css";

export function TransactionsPage() {
  const address = useSearch();
  const [, go] = useLocation();
  const [filtering, form] = useDisclosure(false);
  const [filters, page] = [filtersIn(address), pageIn(address)];
  const list = useTransactions(filters, page);
  const show = (wanted: Filters, wantedPage = 1) => go(`/transactions?${addressOf(wanted, wantedPage)}`);
  const total = list.data?.meta.total;

  return (
    <Page
      title="Transactions"
      about={
        total === undefined ? " " : `${total.toLocaleString("en")} ${total === 1 ? "transaction" : "transactions"}`
      }
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<Icon name="filter" size={15} />} onClick={form.open}>
            Filter
          </Button>
          <Export filters={filters} total={total} />
        </Group>
      }
    >
      <Chips filters={filters} show={show} />
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.transactions.length === 0 ? (
            <Nothing filtered={Object.keys(filters).length > 0} total={list.data.meta.total} />
          ) : (
            <TransactionTable transactions={list.data.transactions} faded={list.isPlaceholderData} />
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => show(filters, next)} />
      <FilterForm key={address} opened={filtering} close={form.close} filters={filters} show={show} />
    </Page>
  );
}

function Nothing({ filtered, total }: { readonly filtered: boolean; readonly total: number }) {
  if (total > 0) return <PastEnd />;
  return filtered ? (
    <Empty title="Nothing matches">Remove a filter, or search for something else.</Empty>
  ) : (
    <Empty title="No transactions yet">As soon as a charge is sent, it appears here by itself.</Empty>
  );
}

function Chips({ filters, show }: { readonly filters: Filters; readonly show: (filters: Filters) => void }) {
  const entries = Object.entries(filters);
  if (entries.length === 0) return null;
  return (
    <Group gap={8}>
      {entries.map(([name, value]) => (
        <button
          key={name}
          type="button"
          className={classes.chip}
          aria-label={`Remove the filter ${labelOf(name, value)}`}
          onClick={() => show(Object.fromEntries(entries.filter(([other]) => other !== name)))}
        >
          {labelOf(name, value)} <Icon name="cross" size={10} />
        </button>
      ))}
      {entries.length > 1 && (
        <Button variant="subtle" size="compact-sm" onClick={() => show({})}>
          Clear all
        </Button>
      )}
    </Group>
  );
}
