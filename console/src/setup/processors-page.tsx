// A merchant's processor records: which there are, on and off, in rotation or not, and a new one.

import { Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { useSettingSchemas } from "../api/processors.ts";
import { may, useSignedIn } from "../api/session.ts";
import { type ProcessorRecord, useChange, useSetup } from "../api/setup.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, FaultInRow, Loading } from "../parts/states.tsx";
import { settingsOf, type TypedSettings } from "../processors/draft.ts";
import { SettingsFields } from "../processors/settings-fields.tsx";
import table from "../transactions/transactions.module.css";
import { brandOf } from "../words/answers.ts";
import { SetupPage } from "./setup-page.tsx";

export function ProcessorsPage() {
  return (
    <SetupPage
      title="Processors"
      about="The accounts that take charges, what each requires, and when its money settles."
    >
      {(merchantId) => <Processors merchantId={merchantId} />}
    </SetupPage>
  );
}

function Processors({ merchantId }: { readonly merchantId: string }) {
  const changes = may(useSignedIn(), "operate");
  const records = useSetup("processors", merchantId);
  if (records.data === undefined)
    return records.isError ? <Fault fault={records.error} again={() => void records.refetch()} /> : <Loading />;
  return (
    <>
      <Panel flush>
        {records.data.length === 0 ? (
          <Empty title="No processors yet" />
        ) : (
          <table className={table.table} aria-label="Processors">
            <thead>
              <tr>
                <th>Name</th>
                <th className="wide">Currency</th>
                <th className="wide">Kind</th>
                <th className="wide">Requires</th>
                <th className="wide">Cut-off, settled (UTC)</th>
                {changes ? (
                  <>
                    <th>Enabled</th>
                    <th>In rotation</th>
                  </>
                ) : (
                  <th>State</th>
                )}
              </tr>
            </thead>
            <tbody>
              {records.data.map((record) => (
                <LinkedRow key={record.id} href={`/processors/${record.id}`}>
                  <td className="cut">
                    <RowLink>{record.name}</RowLink>
                    <div className={`narrow ${table.quiet}`}>{record.currency}</div>
                  </td>
                  <td className="wide">{record.currency}</td>
                  <td className="wide code">{record.kind}</td>
                  <td className="wide">{demandsOf(record)}</td>
                  <td className="wide figures">
                    {record.settlement.cutoff_at}, {record.settlement.visible_at}
                  </td>
                  {changes ? (
                    <Switches record={record} />
                  ) : (
                    <td>
                      <Status label={stateOf(record)} />
                    </td>
                  )}
                </LinkedRow>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      {changes && <NewProcessor merchantId={merchantId} />}
    </>
  );
}

function demandsOf({ requires: { cvv, names, document } }: ProcessorRecord): string {
  const demands = [
    ...(cvv.length > 0 ? [`CVV of ${cvv.map(brandOf).join(", ")}`] : []),
    ...(names ? ["names"] : []),
    ...(document ? ["CPF or CNPJ"] : []),
  ];
  return demands.length === 0 ? "–" : demands.join("; ");
}

function stateOf({ enabled, in_rotation }: ProcessorRecord) {
  if (!enabled) return { word: "Off", tone: "plain" } as const;
  return in_rotation ? ({ word: "In rotation", tone: "good" } as const) : ({ word: "By name", tone: "info" } as const);
}

/** Two cells of the record's row. */
function Switches({ record: { id, name, enabled, in_rotation } }: { readonly record: ProcessorRecord }) {
  const changing = useChange<unknown, Partial<ProcessorRecord>>((json) => ({
    path: `processors/${id}`,
    method: "PATCH",
    json,
  }));
  return (
    <>
      <td>
        <Switch
          size="sm"
          aria-label={`${name} is enabled`}
          checked={enabled}
          disabled={changing.isPending}
          onChange={() => changing.mutate({ enabled: !enabled })}
        />
      </td>
      <td>
        <Switch
          size="sm"
          aria-label={`${name} is in rotation`}
          checked={in_rotation}
          disabled={changing.isPending}
          onChange={() => changing.mutate({ in_rotation: !in_rotation })}
        />
        {changing.isError && <FaultInRow fault={changing.error} />}
      </td>
    </>
  );
}

const EMPTY = { name: "", kind: "simulator", currency: "USD" };

function NewProcessor({ merchantId }: { readonly merchantId: string }) {
  const [fields, setFields] = useState(EMPTY);
  const [settings, setSettings] = useState<TypedSettings>({});
  const { data: schemas = {} } = useSettingSchemas(fields.kind);
  const creating = useChange<unknown>(() => ({
    path: `merchants/${merchantId}/processors`,
    method: "POST",
    json: { ...fields, settings: settingsOf(settings, schemas) },
  }));
  const wrong = fieldsOf(creating.error);
  const set = (name: keyof typeof EMPTY) => (value: string) => setFields((before) => ({ ...before, [name]: value }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(undefined, {
      onSuccess: () => {
        setFields(EMPTY);
        setSettings({});
      },
    });
  };
  return (
    <Panel title="A new processor">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label="Name"
              value={fields.name}
              onChange={(event) => set("name")(event.currentTarget.value)}
              error={wrong.name}
              required
              withAsterisk={false}
            />
            <Select
              label="Kind"
              data={["simulator", "iso8583", "stripe", "adyen"]}
              value={fields.kind}
              onChange={(kind) => {
                set("kind")(kind ?? EMPTY.kind);
                setSettings({});
              }}
              allowDeselect={false}
              error={wrong.kind}
            />
            <TextInput
              label="Currency"
              value={fields.currency}
              onChange={(event) => set("currency")(event.currentTarget.value.toUpperCase())}
              error={wrong.currency}
              required
              withAsterisk={false}
            />
          </SimpleGrid>
          {fields.kind !== EMPTY.kind && (
            <SettingsFields kind={fields.kind} values={settings} set={setSettings} wrong={wrong} />
          )}
          {creating.isError && <Fault fault={creating.error} shown={["name", "kind", "currency", "settings"]} />}
          <Group>
            <Button type="submit" loading={creating.isPending}>
              Create the processor
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
