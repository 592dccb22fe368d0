// One settlement batch: what goes to the merchant, and what it is made of.

import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Batch } from "../../../packages/client/src/openapi.ts";
import { download } from "../api/download.ts";
import { useBatch, useProcessors } from "../api/queries.ts";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/page.tsx";
import { Amount, Copyable, Facts, PageLink, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { brandOf, OPERATIONS } from "../words/answers.ts";
import { DAY_MS, dayOf, exactly, momentOf } from "../words/dates.ts";

const BACK = { href: "/batches", to: "Settlement" };

export function BatchPage({ id }: { readonly id: string }) {
  const batch = useBatch(id);
  if (batch.data) return <Shown batch={batch.data} />;
  return (
    <Page title="Batch" back={BACK}>
      {batch.isError ? <Fault fault={batch.error} again={() => void batch.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ batch }: { readonly batch: Batch }) {
  const { data: processors = [] } = useProcessors();
  const processor = processors.find((one) => one.id === batch.processor_id);
  return (
    <Page title={`Batch of ${momentOf(batch.cutoff_at)}`} back={BACK} actions={<Files batch={batch} />}>
      <Panel>
        <Group align="flex-start" style={{ gap: "16px 48px" }}>
          <Stack gap={2}>
            <Text size="sm" c="dimmed">
              Goes to the merchant
            </Text>
            <Text size="1.7rem" fw={620} lh={1.3}>
              <Amount amount={batch.net} currency={batch.currency} />
            </Text>
          </Stack>
          <Facts
            facts={[
              { name: "Cut-off", value: exactly(batch.cutoff_at) },
              { name: "Processor", value: processor?.name ?? batch.processor_id },
              { name: "Voided of it", value: <Amount amount={batch.voided} currency={batch.currency} /> },
              { name: "Id", value: <Copyable value={batch.id} what="the batch's id" /> },
            ]}
          />
        </Group>
      </Panel>
      <Panel title="By operation and brand" flush>
        {batch.totals.length === 0 ? <Empty title="Nothing in it" /> : <Totals batch={batch} />}
      </Panel>
    </Page>
  );
}

function Files({ batch: { id, cutoff_at } }: { readonly batch: Batch }) {
  // A batch begins at the cut-off of the day before.
  const days = { from: dayOf(new Date(Date.parse(cutoff_at) - DAY_MS)), to: dayOf(new Date(cutoff_at)) };
  const [lines, setLines] = useState(0);
  const saving = useMutation({
    mutationFn: () => download(`/api/batches/${id}/events?for=spreadsheet`, `batch-${id}.csv`, setLines),
  });
  return (
    <Group gap="md">
      {saving.isError && <Fault fault={saving.error} />}
      <PageLink href={`/ledger?${new URLSearchParams(days)}`}>Ledger of these two days</PageLink>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={15} />}
        disabled={saving.isPending}
        onClick={() => saving.mutate()}
      >
        {saving.isPending ? `${lines.toLocaleString("en")} lines…` : "Its events as CSV"}
      </Button>
    </Group>
  );
}

function Totals({ batch: { totals, currency } }: { readonly batch: Batch }) {
  return (
    <table className={table.table} aria-label="Totals by operation and brand">
      <thead>
        <tr>
          <th>Operation</th>
          <th>Brand</th>
          <th className={table.number}>Count</th>
          <th className={table.number}>Amount</th>
        </tr>
      </thead>
      <tbody>
        {totals.map(({ operation, card_brand, count, amount }) => (
          <tr key={`${operation} ${card_brand}`}>
            <td>{OPERATIONS[operation]}</td>
            <td>{brandOf(card_brand)}</td>
            <td className={table.number}>{count.toLocaleString("en")}</td>
            <td className={table.number}>
              <Amount amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
