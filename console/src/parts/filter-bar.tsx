// Filters of a list in a row above it: they stand in the page's address, so that each view is a link. On a phone they are folded away.

import { Button, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { KeyboardEvent } from "react";
import { Icon } from "./icons.tsx";
import classes from "./parts.module.css";

export interface BarField {
  readonly name: string;
  readonly label: string;
  readonly type?: "date" | "text";
  readonly placeholder?: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

export type Values = Readonly<Record<string, string>>;

/** Of an address: what the bar has no field for is left out, as if nobody had written it. */
export function valuesIn(address: string, fields: readonly Pick<BarField, "name">[]): Values {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(
    [...new URLSearchParams(address)].filter(([name, value]) => names.has(name) && value !== ""),
  );
}

interface FilterBarProps {
  readonly fields: readonly BarField[];
  readonly values: Values;
  readonly show: (values: Values) => void;
}

export function FilterBar({ fields, values, show }: FilterBarProps) {
  const [opened, fold] = useDisclosure(false);
  const count = Object.keys(values).length;
  const set = (name: string, value: string) => {
    const { [name]: before = "", ...others } = values;
    if (value !== before) show(value === "" ? others : { ...others, [name]: value });
  };
  return (
    <search>
      <Button
        className="narrow"
        variant="default"
        leftSection={<Icon name="filter" size={15} />}
        aria-expanded={opened}
        onClick={fold.toggle}
      >
        {count === 0 ? "Filter" : `Filter (${count})`}
      </Button>
      <div className={`${classes.bar} ${opened ? "" : "wide"}`}>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            set={(value) => set(field.name, value)}
          />
        ))}
        {count > 0 && (
          <Button variant="subtle" onClick={() => show({})}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}

interface FieldProps {
  readonly field: BarField;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Field({ field: { label, placeholder, type = "text", choices }, value, set }: FieldProps) {
  if (choices !== undefined)
    return (
      <Select
        label={label}
        placeholder={placeholder ?? "Any"}
        data={choices.map((one) => ({ ...one }))}
        value={value === "" ? null : value}
        onChange={(next) => set(next ?? "")}
        clearable
      />
    );
  return (
    <TextInput
      // What the address says now, also after "back".
      key={value}
      type={type}
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      defaultValue={value}
      onBlur={(event) => set(event.currentTarget.value.trim())}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}
