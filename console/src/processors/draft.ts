// A processor record while it is edited: what its fields show, and what of them is sent, which is only what was changed.

import type { ProcessorRecord } from "../api/setup.ts";
import { numberSent } from "../words/typed.ts";

/** What the OpenAPI document says of one setting of a kind. */
export interface SettingSchema {
  readonly type?: string;
  /** The choices there are: in what it publishes of responses, the document names them so that more may come. */
  readonly "x-extensible-enum"?: readonly string[];
  readonly items?: { readonly "x-extensible-enum"?: readonly string[] };
  readonly description?: string;
  readonly default?: unknown;
  readonly maxLength?: number;
}
export type SettingSchemas = Readonly<Record<string, SettingSchema>>;

/** As typed: a list where several are chosen, and otherwise a text, empty for the default. */
export type Typed = string | readonly string[];
export type TypedSettings = Readonly<Record<string, Typed>>;

export interface Draft {
  readonly name: string;
  readonly cvv: readonly string[];
  readonly names: boolean;
  readonly document: boolean;
  /** Empty: only when asked to. */
  readonly auto_capture_at: string;
  readonly cutoff_at: string;
  readonly settled_at: string;
  readonly visible_at: string;
  readonly settings: TypedSettings;
}

export const TIMES = ["auto_capture_at", "cutoff_at", "settled_at", "visible_at"] as const;

/** How a record shows in the form. A secret shows as dots, and stays as long as nobody types over them. */
export function draftOf({ name, requires, settlement, settings }: ProcessorRecord): Draft {
  return {
    name,
    ...requires,
    ...settlement,
    auto_capture_at: settlement.auto_capture_at ?? "",
    settings: Object.fromEntries(Object.entries(settings).map(([setting, value]) => [setting, typedOf(value)])),
  };
}

const typedOf = (value: unknown): Typed => (Array.isArray(value) ? value.map(String) : String(value));

/** The body of the change; without fields where nothing is another. */
export function changeOf(draft: Draft, record: ProcessorRecord, schemas: SettingSchemas): object {
  const before = draftOf(record);
  const times = TIMES.filter((name) => draft[name] !== before[name]);
  const demands = (["cvv", "names", "document"] as const).filter((name) => !same(draft[name], before[name]));
  const settings = settingsOf(draft.settings, schemas, before.settings);
  const schedule = times.map((name) => [name, draft[name].trim() === "" ? null : draft[name].trim()]);
  return {
    ...(draft.name !== before.name && { name: draft.name }),
    ...(demands.length > 0 && { requires: Object.fromEntries(demands.map((name) => [name, draft[name]])) }),
    ...(times.length > 0 && { settlement: Object.fromEntries(schedule) }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Those that are others than before; what was emptied is null, which takes a setting back to its default. */
export function settingsOf(typed: TypedSettings, schemas: SettingSchemas, before: TypedSettings = {}): object {
  const changed = Object.entries(typed).filter(([name, value]) => !same(value, before[name] ?? ""));
  return Object.fromEntries(changed.map(([name, value]) => [name, sentOf(value, schemas[name])]));
}

/** What is no number goes as it is, and the API says what is wrong. */
function sentOf(typed: Typed, { type }: SettingSchema = {}): unknown {
  if (typed.length === 0) return null;
  if (type === "boolean") return typed === "true";
  if (type === "integer") return numberSent(String(typed));
  return typed;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
