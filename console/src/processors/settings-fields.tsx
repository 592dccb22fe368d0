// Fields for the settings of a kind of processor, made from what the gateway's OpenAPI document says of them: the schema that the API
// checks them with.

import { MultiSelect, Select, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useSettingSchemas } from "../api/processors.ts";
import { Fault, Loading } from "../parts/states.tsx";
import type { SettingSchema, Typed, TypedSettings } from "./draft.ts";

interface SettingsFieldsProps {
  readonly kind: string;
  readonly values: TypedSettings;
  readonly set: (values: TypedSettings) => void;
  /** The API's words by field: `settings.latency_ms`. */
  readonly wrong: Readonly<Record<string, string>>;
}

export function SettingsFields({ kind, values, set, wrong }: SettingsFieldsProps) {
  const { data: schemas, error, refetch } = useSettingSchemas(kind);
  if (schemas === undefined) return error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
      {Object.entries(schemas).map(([name, schema]) => (
        <Setting
          key={name}
          name={name}
          schema={schema}
          value={values[name] ?? ""}
          set={(value) => set({ ...values, [name]: value })}
          error={wrong[`settings.${name}`]}
        />
      ))}
    </SimpleGrid>
  );
}

interface SettingProps {
  readonly name: string;
  readonly schema: SettingSchema;
  readonly value: Typed;
  readonly set: (value: Typed) => void;
  readonly error: string | undefined;
}

const LONG = 1_000;
const CONCEALED = "•••";

function Setting({ name, schema, value, set, error }: SettingProps) {
  const field = { label: name, description: schema.description, error };
  const text = typeof value === "string" ? value : value.join(", ");
  const placeholder = schema.default === undefined ? "" : `Default: ${saidDefault(schema.default)}`;
  if (schema.type === "array")
    return (
      <MultiSelect
        {...field}
        data={[...(schema.items?.["x-extensible-enum"] ?? [])]}
        value={typeof value === "string" ? [] : [...value]}
        onChange={set}
        placeholder={value.length === 0 ? placeholder : ""}
      />
    );
  const choices = schema.type === "boolean" ? YES_NO : schema["x-extensible-enum"];
  if (choices !== undefined)
    return (
      <Select
        {...field}
        data={[...choices] as string[]}
        value={text === "" ? null : text}
        onChange={(chosen) => set(chosen ?? "")}
        placeholder={placeholder}
        clearable
        clearButtonProps={{ "aria-label": `${name} back to its default` }}
      />
    );
  const typed = { ...field, value: text, placeholder, autoComplete: "off" };
  return (schema.maxLength ?? 0) > LONG ? (
    <Textarea {...typed} autosize maxRows={6} onChange={({ currentTarget }) => set(currentTarget.value)} />
  ) : (
    <TextInput
      {...typed}
      onFocus={({ currentTarget }) => text === CONCEALED && currentTarget.select()}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}

const YES_NO = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

function saidDefault(value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return Array.isArray(value) && value.length === 0 ? "none" : String(value);
}
