// Every filter of the list, as a form in a drawer.

import { Button, Drawer, Group, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { FILTERS, type FilterField, type Filters, instantOf, PERIODS, shownIn, understoodIn } from "./filters.ts";

interface FilterFormProps {
  readonly opened: boolean;
  readonly close: () => void;
  readonly filters: Filters;
  readonly show: (filters: Filters) => void;
}

export function FilterForm({ opened, close, filters, show }: FilterFormProps) {
  const [values, setValues] = useState<Filters>(() =>
    Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, shownIn(name, value)])),
  );
  const [wrong, setWrong] = useState<Filters>({});
  const set = (name: string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setWrong(({ [name]: _, ...others }) => others);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const understood = understoodIn(values);
    setWrong(understood.wrong);
    if (Object.keys(understood.wrong).length > 0) return;
    close();
    show(understood.filters);
  };
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      size="md"
      title="Filter transactions"
      closeButtonProps={CLOSE}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {PERIODS.map(({ name, label }) => (
            <SimpleGrid key={name} cols={2}>
              <Day label={`${label} from`} name={`${name}_gte`} end="gte" values={values} set={set} />
              <Day label={`${label} to`} name={`${name}_lte`} end="lte" values={values} set={set} />
            </SimpleGrid>
          ))}
          {FILTERS.map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name] ?? ""}
              wrong={wrong[field.name]}
              set={set}
            />
          ))}
          <Group justify="flex-end" style={{ position: "sticky", bottom: 0 }} py="sm" bg="var(--mantine-color-body)">
            <Button
              variant="default"
              onClick={() => {
                setValues({});
                setWrong({});
              }}
            >
              Clear
            </Button>
            <Button type="submit">Show</Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

const CLOSE = { "aria-label": "Close the filters" };

type Set = (name: string, value: string) => void;

interface DayProps {
  readonly label: string;
  readonly name: string;
  readonly end: "gte" | "lte";
  readonly values: Filters;
  readonly set: Set;
}

function Day({ label, name, end, values, set }: DayProps) {
  return (
    <TextInput
      type="date"
      label={label}
      value={(values[name] ?? "").slice(0, 10)}
      onChange={(event) => set(name, instantOf(event.currentTarget.value, end))}
    />
  );
}

interface FieldProps {
  readonly field: FilterField;
  readonly value: string;
  readonly wrong: string | undefined;
  readonly set: Set;
}

function Field({ field, value, wrong, set }: FieldProps) {
  const { name, label, placeholder, choices } = field;
  if (choices !== undefined)
    return (
      <Select
        label={label}
        placeholder="Any"
        data={choices.map((one) => ({ ...one }))}
        value={value === "" ? null : value}
        onChange={(next) => set(name, next ?? "")}
        clearable
      />
    );
  return (
    <TextInput
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      value={value}
      onChange={(event) => set(name, event.currentTarget.value)}
      error={wrong}
    />
  );
}
