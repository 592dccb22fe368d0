// All matches as CSV. The gateway streams them; the rows that have come are counted meanwhile.

import { Button, Menu, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { download } from "../api/download.ts";
import { Icon } from "../parts/icons.tsx";
import { Fault } from "../parts/states.tsx";
import type { Filters } from "./filters.ts";

export function Export({ filters, total }: { readonly filters: Filters; readonly total: number | undefined }) {
  const [rows, setRows] = useState(0);
  const saving = useMutation({
    mutationFn: (spreadsheet: boolean) => {
      setRows(0);
      return download(`/api/transactions?${queryOf(filters, spreadsheet)}`, "transactions.csv", setRows);
    },
  });
  const share = total === undefined || total === 0 ? "" : ` ${Math.min(100, Math.floor((100 * rows) / total))} %`;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            disabled={saving.isPending}
            aria-live="polite"
          >
            {saving.isPending ? `Exporting…${share}` : "Export"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => saving.mutate(true)}>CSV for a spreadsheet</Menu.Item>
          <Menu.Item onClick={() => saving.mutate(false)}>CSV for programs</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving.isSuccess && (
        <Text size="sm" c="dimmed" role="status">
          {rows.toLocaleString("en")} {rows === 1 ? "row" : "rows"} saved
        </Text>
      )}
      {saving.isError && <Fault fault={saving.error} />}
    </>
  );
}

function queryOf(filters: Filters, spreadsheet: boolean): string {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [`search[${name}]`, value]));
  query.set("format", "csv");
  if (spreadsheet) query.set("for", "spreadsheet");
  return query.toString();
}
