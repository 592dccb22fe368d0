// Series of charges that look like somebody trying stolen cards: from when on they are slowed and refused, and which were.

import { Button, Group, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { type CardTesting, useCardTesting } from "../api/card-testing.ts";
import { may, useSignedIn } from "../api/session.ts";
import { useChange } from "../api/setup.ts";
import { Facts, Panel } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import { amountSent, numberSent } from "../words/typed.ts";
import { Reports } from "./reports.tsx";

export function CardTestingPage() {
  return (
    <SetupPage
      title="Card testing"
      about="Series of small charges with many cards, as when somebody tries stolen cards."
    >
      {(merchantId) => (
        <>
          <Reports merchantId={merchantId} />
          <Settings merchantId={merchantId} />
        </>
      )}
    </SetupPage>
  );
}

function Settings({ merchantId }: { readonly merchantId: string }) {
  const changes = may(useSignedIn(), "operate");
  const { data: settings, error, refetch } = useCardTesting(merchantId);
  return (
    <Panel title="When charges are refused">
      {error !== null && <Fault fault={error} again={() => void refetch()} />}
      {error === null && settings === undefined && <Loading />}
      {settings !== undefined &&
        (changes ? <SettingsForm merchantId={merchantId} settings={settings} /> : <Shown settings={settings} />)}
    </Panel>
  );
}

function Shown({ settings }: { readonly settings: CardTesting }) {
  const { enabled, cards_per_range, window_minutes, small_amount, without_declines } = settings;
  if (!enabled) return <Text size="sm">Charges are not watched.</Text>;
  return (
    <Facts
      facts={[
        { name: "Refused from", value: `${cards_per_range} cards; delayed from half as many` },
        { name: "Within", value: `${window_minutes} minutes; for one address, six times as long` },
        { name: "Counted", value: `charges up to ${small_amount} US dollars, or as much in other currencies` },
        { name: "Also without declines", value: without_declines ? "if they are half of all cards" : "never" },
      ]}
    />
  );
}

const TEXTS = [
  { name: "cards_per_range", label: "Refuse from this many cards", description: "Delay from half as many." },
  { name: "window_minutes", label: "Within this many minutes", description: "For one address, six times as long." },
  {
    name: "small_amount",
    label: "Charges up to this amount",
    description: "In US dollars; in other currencies about as much. Larger charges are not counted.",
  },
] as const;

interface SettingsFormProps {
  readonly merchantId: string;
  readonly settings: CardTesting;
}

function SettingsForm({ merchantId, settings }: SettingsFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [flags, setFlags] = useState<Partial<Pick<CardTesting, "enabled" | "without_declines">>>({});
  const changing = useChange<unknown>(() => ({
    path: `merchants/${merchantId}/card-testing`,
    method: "PATCH",
    json: {
      ...flags,
      ...Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          name === "small_amount" ? amountSent(value) : numberSent(value),
        ]),
      ),
    },
  }));
  const wrong = fieldsOf(changing.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate(undefined, {
      onSuccess: () => {
        setValues({});
        setFlags({});
      },
    });
  };
  const changed = Object.keys(values).length + Object.keys(flags).length > 0;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Switch
          label="Watch charges"
          checked={flags.enabled ?? settings.enabled}
          onChange={({ currentTarget: { checked } }) => setFlags((before) => ({ ...before, enabled: checked }))}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {TEXTS.map(({ name, label, description }) => (
            <TextInput
              key={name}
              label={label}
              description={description}
              inputMode="decimal"
              value={values[name] ?? String(settings[name])}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
              error={wrong[name]}
            />
          ))}
        </SimpleGrid>
        <Switch
          label="Also without declines"
          description="If cards of one range are half of all the merchant's cards. Not for prepaid programmes."
          checked={flags.without_declines ?? settings.without_declines}
          onChange={({ currentTarget: { checked } }) =>
            setFlags((before) => ({ ...before, without_declines: checked }))
          }
        />
        {changing.isError && <Fault fault={changing.error} shown={TEXTS.map(({ name }) => name)} />}
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
