// One processor record: what charges must carry, when its money settles, and the settings of its kind. Operators change all of it.

import { Button, Group, MultiSelect, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { useProcessorRecord, useSettingSchemas } from "../api/processors.ts";
import { may, useSignedIn } from "../api/session.ts";
import { type ProcessorRecord, useChange } from "../api/setup.ts";
import { Copyable, Facts, Panel } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import { TextField } from "../parts/text-field.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import { BRANDS } from "../words/answers.ts";
import { changeOf, type Draft, draftOf, TIMES } from "./draft.ts";
import { SettingsFields } from "./settings-fields.tsx";

const BACK = { href: "/processors", to: "Processors" };

export function ProcessorPage({ id }: { readonly id: string }) {
  const { data: record, error, refetch } = useProcessorRecord(id);
  return (
    <SetupPage
      title={record?.name ?? "Processor"}
      about="What charges need, when money settles, and the settings of the kind."
      back={BACK}
    >
      {() => (
        <>
          {error !== null && <Fault fault={error} again={() => void refetch()} />}
          {error === null && record === undefined && <Loading />}
          {record !== undefined && <Record record={record} />}
        </>
      )}
    </SetupPage>
  );
}

function Record({ record }: { readonly record: ProcessorRecord }) {
  const changes = may(useSignedIn(), "operate");
  const { id, kind, currency, settings } = record;
  return (
    <>
      <Panel>
        <Facts
          facts={[
            { name: "Kind", value: <span className="code">{kind}</span> },
            { name: "Currency", value: currency },
            { name: "Id", value: <Copyable value={id} what="the processor's id" /> },
            ...(changes ? [] : shown(record)),
          ]}
        />
      </Panel>
      {changes ? (
        <RecordForm record={record} />
      ) : (
        <Panel title="Settings">
          <Facts
            facts={Object.entries(settings).map(([name, value]) => ({
              name,
              value: typeof value === "string" ? value : JSON.stringify(value),
            }))}
          />
          {Object.keys(settings).length === 0 && "All settings have their defaults."}
        </Panel>
      )}
    </>
  );
}

const shown = ({ requires, settlement }: ProcessorRecord) => [
  { name: "CVV required for", value: requires.cvv.map((brand) => BRANDS[brand] ?? brand).join(", ") || "no brand" },
  { name: "Names required", value: requires.names ? "Yes" : "No" },
  { name: "CPF or CNPJ required", value: requires.document ? "Yes" : "No" },
  ...TIMES.map((name) => ({ name: TIME_LABELS[name], value: settlement[name] ?? "Only on request" })),
];

const TIME_LABELS = {
  auto_capture_at: "Automatic capture at",
  cutoff_at: "Cut-off at",
  settled_at: "Settled at",
  visible_at: "Shown as settled at",
} as const;

function RecordForm({ record }: { readonly record: ProcessorRecord }) {
  // With the record as it was when the draft began: what somebody else changes meanwhile is not taken back.
  const [edited, setEdited] = useState<{ readonly draft: Draft; readonly from: ProcessorRecord }>();
  const { data: schemas = {} } = useSettingSchemas(record.kind);
  const { draft: now, from } = edited ?? { draft: draftOf(record), from: record };
  const change = changeOf(now, from, schemas);
  const changing = useChange<unknown>(() => ({ path: `processors/${record.id}`, method: "PATCH", json: change }));
  const wrong = fieldsOf(changing.error);
  const set = (part: Partial<Draft>) => setEdited({ draft: { ...now, ...part }, from });
  const changed = Object.keys(change).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate(undefined, { onSuccess: () => setEdited(undefined) });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Panel title="Conditions and schedule">
          <Stack gap="md">
            <Conditions draft={now} set={set} wrong={wrong} />
            <Schedule draft={now} set={set} wrong={wrong} />
          </Stack>
        </Panel>
        <Panel title="Settings">
          <SettingsFields
            kind={record.kind}
            values={now.settings}
            set={(settings) => set({ settings })}
            wrong={wrong}
          />
        </Panel>
        {changing.isError && (
          <Fault fault={changing.error} shown={["name", "requires.cvv", "settlement", "settings"]} />
        )}
        <Group gap="sm">
          <Button type="submit" loading={changing.isPending} disabled={!changed}>
            Save
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {changing.isSuccess && !changed ? "Saved. It applies within a second." : ""}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
  readonly wrong: Readonly<Record<string, string>>;
}

function Conditions({ draft, set, wrong }: PartProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField label="Name" value={draft.name} set={(name) => set({ name })} error={wrong.name} />
        <MultiSelect
          label="CVV required for"
          placeholder={draft.cvv.length === 0 ? "No brand" : ""}
          data={Object.entries(BRANDS).map(([value, label]) => ({ value, label }))}
          value={[...draft.cvv]}
          onChange={(cvv) => set({ cvv })}
          error={wrong["requires.cvv"]}
        />
      </SimpleGrid>
      <Group gap="lg">
        <Switch
          label="Charges need first and last name"
          checked={draft.names}
          onChange={({ currentTarget }) => set({ names: currentTarget.checked })}
        />
        <Switch
          label="Charges need a CPF or CNPJ"
          checked={draft.document}
          onChange={({ currentTarget }) => set({ document: currentTarget.checked })}
        />
      </Group>
    </>
  );
}

function Schedule({ draft, set, wrong }: PartProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {TIMES.map((name) => (
          <TextInput
            key={name}
            label={TIME_LABELS[name]}
            placeholder={name === "auto_capture_at" ? "Never" : "22:00"}
            value={draft[name]}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            error={wrong[`settlement.${name}`]}
          />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Times of day in UTC. Money that was captured before a change keeps the times it was captured under.
      </Text>
    </>
  );
}
