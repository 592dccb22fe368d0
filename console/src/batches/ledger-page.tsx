// The ledger of a period as a file: one row for each movement of money.

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSearch } from "wouter";
import { fieldsOf } from "../api/ask.ts";
import { useNow } from "../api/clock.ts";
import { download } from "../api/download.ts";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/page.tsx";
import { Panel } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import { dayOf } from "../words/dates.ts";

export function LedgerPage() {
  const today = dayOf(useNow());
  const address = new URLSearchParams(useSearch());
  const [typedFrom, setFrom] = useState(address.get("from"));
  const [typedTo, setTo] = useState(address.get("to"));
  // Until somebody chooses: this month.
  const [from, to] = [typedFrom ?? `${today.slice(0, 8)}01`, typedTo ?? today];
  const [rows, setRows] = useState(0);
  const saving = useMutation({
    mutationFn: (spreadsheet: boolean) => {
      setRows(0);
      return download(`/api/ledger?${queryOf(from, to, spreadsheet)}`, `ledger-${from}-${to}.csv`, setRows);
    },
  });
  const wrong = fieldsOf(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(true);
  };
  return (
    <Page
      title="Ledger"
      about="One row for each movement of money: sales, captures, voids, refunds, and late failures."
    >
      <Panel title="A period as a file">
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <Group gap="md" align="flex-start">
              <Day label="From" value={from} set={setFrom} error={wrong.from} />
              <Day label="To, inclusive" value={to} set={setTo} error={wrong.to} />
            </Group>
            {saving.isError && <Fault fault={saving.error} />}
            <Group gap="sm">
              <Button type="submit" loading={saving.isPending} leftSection={<Icon name="download" size={15} />}>
                CSV for a spreadsheet
              </Button>
              <Button variant="default" disabled={saving.isPending} onClick={() => saving.mutate(false)}>
                CSV for programs
              </Button>
              <Text size="sm" c="dimmed" role="status">
                {saving.isPending || saving.isSuccess ? `${rows.toLocaleString("en")} rows` : ""}
              </Text>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Page>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly set: (day: string) => void;
  readonly error: string | undefined;
}

const Day = ({ label, value, set, error }: DayProps) => (
  <TextInput
    type="date"
    label={label}
    value={value}
    onChange={(event) => set(event.currentTarget.value)}
    error={error}
    required
    withAsterisk={false}
  />
);

function queryOf(from: string, to: string, spreadsheet: boolean): string {
  const query = new URLSearchParams({ from, to, format: "csv" });
  if (spreadsheet) query.set("for", "spreadsheet");
  return query.toString();
}
