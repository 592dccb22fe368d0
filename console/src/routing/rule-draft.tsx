// One rule while it is edited: its name, its conditions, and among whom it draws.

import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useProcessors } from "../api/queries.ts";
import { Icon } from "../parts/icons.tsx";
import { BRANDS } from "../words/answers.ts";
import classes from "./routing.module.css";
import { type Draft, wrongIn } from "./rules.ts";

interface RuleDraftProps {
  readonly draft: Draft;
  readonly place: { readonly index: number; readonly last: boolean };
  /** The API's words by field, of all rules. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly change: (draft: Draft) => void;
  readonly move: (by: -1 | 1) => void;
  readonly remove: () => void;
}

export function RuleDraft(props: RuleDraftProps) {
  const { draft, place, wrong, change, move, remove } = props;
  const about = `rule ${place.index + 1}`;
  return (
    <li className={classes.draft}>
      <Stack gap="md">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={`Rule ${place.index + 1}`}
            placeholder="What it is for"
            style={{ flex: 1 }}
            value={draft.name}
            onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
            error={wrongIn(wrong, place.index, "name")}
          />
          <Move label={`Move ${about} up`} disabled={place.index === 0} go={() => move(-1)} turn={90} />
          <Move label={`Move ${about} down`} disabled={place.last} go={() => move(1)} turn={-90} />
          <ActionIcon variant="default" size={36} aria-label={`Remove ${about}`} onClick={remove}>
            <Icon name="cross" size={14} />
          </ActionIcon>
        </Group>
        <Conditions {...props} />
        <Members {...props} />
      </Stack>
    </li>
  );
}

interface MoveProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly go: () => void;
  readonly turn: number;
}

const Move = ({ label, disabled, go, turn }: MoveProps) => (
  <ActionIcon variant="default" size={36} aria-label={label} disabled={disabled} onClick={go}>
    <span style={{ display: "grid", rotate: `${turn}deg` }}>
      <Icon name="back" size={14} />
    </span>
  </ActionIcon>
);

function Conditions({ draft, place, wrong, change }: RuleDraftProps) {
  const error = (field: string) => wrongIn(wrong, place.index, `when.${field}`);
  const list = (name: "currencies" | "card_ranges" | "countries", label: string, placeholder: string) => (
    <TagsInput
      label={label}
      placeholder={draft[name].length === 0 ? placeholder : ""}
      value={[...draft[name]]}
      onChange={(values) => change({ ...draft, [name]: values.map((one) => one.trim().toUpperCase()) })}
      error={error(name)}
      splitChars={[",", " "]}
      acceptValueOnBlur
    />
  );
  const amount = (name: "amount_at_least" | "amount_at_most", label: string) => (
    <TextInput
      label={label}
      placeholder="Any"
      value={draft[name]}
      onChange={(event) => change({ ...draft, [name]: event.currentTarget.value })}
      error={error(name)}
    />
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {list("currencies", "Currencies", "Any")}
        <MultiSelect
          label="Brands"
          placeholder={draft.brands.length === 0 ? "Any" : ""}
          data={Object.entries(BRANDS).map(([value, label]) => ({ value, label }))}
          value={[...draft.brands]}
          onChange={(brands) => change({ ...draft, brands })}
          error={error("brands")}
        />
        {list("card_ranges", "Card begins with", "Any, or 411111, 45000000-45009999")}
        {list("countries", "Billing countries", "Any")}
        {amount("amount_at_least", "Amount at least")}
        {amount("amount_at_most", "Amount at most")}
        <Select
          label="Airline data"
          placeholder="With or without"
          data={AIRLINE.map((one) => ({ ...one }))}
          value={draft.airline === "" ? null : draft.airline}
          onChange={(airline) => change({ ...draft, airline: (airline ?? "") as Draft["airline"] })}
          clearable
        />
      </SimpleGrid>
      <MetaConditions draft={draft} change={change} error={error("meta")} />
    </>
  );
}

const AIRLINE = [
  { value: "yes", label: "With" },
  { value: "no", label: "Without" },
] as const;

interface MetaProps extends Pick<RuleDraftProps, "draft" | "change"> {
  readonly error: string | undefined;
}

function MetaConditions({ draft, change, error }: MetaProps) {
  const put = (key: number, next: Partial<Draft["meta"][number]>) =>
    change({ ...draft, meta: draft.meta.map((one) => (one.key === key ? { ...one, ...next } : one)) });
  const add = () => {
    const key = Math.max(-1, ...draft.meta.map((one) => one.key)) + 1;
    change({ ...draft, meta: [...draft.meta, { key, name: "", values: [] }] });
  };
  return (
    <Stack gap="xs" align="flex-start">
      {draft.meta.map(({ key, name, values }) => (
        <Group key={key} gap="xs" align="flex-end" w="100%">
          <TextInput
            label="Field of meta"
            value={name}
            onChange={(event) => put(key, { name: event.currentTarget.value })}
            w={180}
          />
          <TagsInput
            label="Is one of"
            style={{ flex: "1 1 180px" }}
            value={[...values]}
            onChange={(next) => put(key, { values: next })}
            splitChars={[]}
            acceptValueOnBlur
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={`Remove the condition on ${name === "" ? "meta" : name}`}
            onClick={() => change({ ...draft, meta: draft.meta.filter((one) => one.key !== key) })}
          >
            <Icon name="cross" size={14} />
          </ActionIcon>
        </Group>
      ))}
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      <Button size="compact-sm" variant="subtle" onClick={add}>
        Add a condition on meta
      </Button>
    </Stack>
  );
}

function Members({ draft, place, wrong, change }: RuleDraftProps) {
  const { data: records = [] } = useProcessors();
  const { processors } = draft;
  const weigh = (id: string, weight: string) =>
    change({ ...draft, processors: processors.map((one) => (one.id === id ? { id, weight } : one)) });
  const error = wrongIn(wrong, place.index, "processors");
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <Text component="legend" size="sm" fw={500} mb={6}>
        Draws among
      </Text>
      <div className={classes.members}>
        {records.map(({ id, name, currency }) => {
          const member = processors.find((one) => one.id === id);
          return (
            <div key={id} className={classes.member}>
              <Checkbox
                label={`${name} (${currency})`}
                checked={member !== undefined}
                onChange={() =>
                  change({
                    ...draft,
                    processors:
                      member === undefined
                        ? [...processors, { id, weight: "1" }]
                        : processors.filter((one) => one.id !== id),
                  })
                }
              />
              <TextInput
                size="xs"
                aria-label={`Weight of ${name} in rule ${place.index + 1}`}
                placeholder="Weight"
                inputMode="numeric"
                disabled={member === undefined}
                value={member?.weight ?? ""}
                onChange={(event) => weigh(id, event.currentTarget.value)}
              />
            </div>
          );
        })}
      </div>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt={6}>
          {error}
        </Text>
      )}
    </fieldset>
  );
}
