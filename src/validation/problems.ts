// What is wrong with an input by its schema: every wrong field at once, each with what would be right. Values never show, since
// some are secret.
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import Format from "typebox/format";
import { Settings } from "typebox/system";
import { Errors } from "typebox/value";
import { isStorable } from "./instants.ts";
import { shownName, strayCardNumbers } from "./stray-card-numbers.ts";

/** Field, dotted (`settlement.cutoff_at`; `base` is the input as a whole), to sentences without it: "must be …". */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** In a schema: what the value must be, in words, where the schema's keywords say it only to a machine. */
export const MUST_BE = "x-must-be";

/** Of one input. What is wrong beyond them is not looked for: a response stays short, and little work is done for it. */
export const MOST_TOLD = 100;

/** Of texts in an input that is refused anyway, and never kept: a megabyte of digits takes a third of a second to search. */
const LONGEST_IN_WRONG = 1_000;

// TypeBox keeps eight errors by default; each field may have several.
Settings.Set({ maxErrors: MOST_TOLD + 1 });

Format.Set("date-time", (text) => Format.IsDateTime(text) && isStorable(text));

const validators = new WeakMap<TSchema, Validator>();

/**
 * Empty when the value is what the schema says and holds a card number only where one belongs. More than `MOST_TOLD` when
 * there are more, though not all of them.
 * @param ignored dotted names of fields that were left out of the value
 * @param strict whether identifiers may hold no number that looks like a card's either
 */
export function problemsOf(
  schema: TSchema,
  value: unknown,
  ignored: readonly string[] = [],
  strict: boolean = false,
): Problems {
  const problems = schemaProblems(schema, value);
  const longest = noProblems(problems) ? Number.POSITIVE_INFINITY : LONGEST_IN_WRONG;
  const strays = strayCardNumbers(schema, value, ignored, { most: MOST_TOLD + 1, strict, longest });
  if (strays.size === 0) return problems;
  const all: Record<string, readonly string[]> = { ...problems };
  for (const [field, text] of strays) all[field] = [...(problems[field] ?? []), text];
  return all;
}

/** Empty when the value is what the schema says. Unknown fields are a problem only where the schema admits none. */
export function schemaProblems(schema: TSchema, value: unknown): Problems {
  if (isRight(schema, value)) return {};
  const problems = new Map<string, string>();
  gather(schema, value, [], problems);
  return Object.fromEntries([...problems].map(([field, text]) => [field, [text]]));
}

function isRight(schema: TSchema, value: unknown): boolean {
  const known = validators.get(schema);
  if (known !== undefined) return known.Check(value);
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator.Check(value);
}

type Path = readonly (string | number)[];

/** Field by field and item by item, so that nothing more is looked at once enough is told. TypeBox itself goes to the end. */
function gather(given: TSchema, value: unknown, path: Path, problems: Map<string, string>): void {
  const schema = schemaBesideNull(given) ?? given;
  const { items, properties } = schema as Parts;
  tellErrors(schema, value, path, problems);
  if (items !== undefined && Array.isArray(value)) {
    for (let index = 0; index < value.length && problems.size <= MOST_TOLD; index++)
      if (!isRight(items, value[index])) gather(items, value[index], [...path, index], problems);
  } else if (properties !== undefined && typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(properties)) {
      if (problems.size > MOST_TOLD) return;
      const field = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
      // Most fields are right, which the compiled check tells at once; TypeBox walks the schema to find no error.
      if (field !== undefined && !isRight(inner, field)) gather(inner, field, [...path, name], problems);
    }
  }
}

const besideNull = new WeakMap<TSchema, TSchema>();

/** Of a schema that takes null or something else: the else, so that nobody is told twice what the value must be. */
function schemaBesideNull(schema: TSchema): TSchema | undefined {
  const { anyOf } = schema as { readonly anyOf?: readonly (TSchema & { readonly type?: string })[] };
  const others = anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [only] = others;
  if (only === undefined || others.length > 1 || others.length === anyOf?.length) return undefined;
  const words = (schema as Keywords)[MUST_BE];
  const known = besideNull.get(schema) ?? { ...only, ...(words !== undefined && { [MUST_BE]: words }) };
  besideNull.set(schema, known);
  return known;
}

interface Parts {
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: unknown;
}

const shells = new WeakMap<TSchema, TSchema>();

/** What a schema says of a list or an object itself, without a word on its items and on its fields' values. */
function shellOf(schema: TSchema): TSchema {
  const { items, properties, additionalProperties } = schema as Parts;
  if (items === undefined && properties === undefined) return schema;
  const known = shells.get(schema);
  if (known !== undefined) return known;
  // Which fields there are matters only where there may be no others.
  const names = additionalProperties === undefined ? [] : Object.keys(properties ?? {});
  const shell: TSchema = { ...schema, ...(items && { items: {} }) };
  if (properties) Object.assign(shell, { properties: Object.fromEntries(names.map((name) => [name, {}])) });
  shells.set(schema, shell);
  return shell;
}

const sizesOnly = new WeakMap<TSchema, TSchema>();

/** Of a text that is too long, its size alone: TypeBox tries a pattern on it as well, which takes minutes for a megabyte. */
function shellFor(schema: TSchema, value: unknown): TSchema {
  const { maxLength = Number.POSITIVE_INFINITY, pattern, format, ...rest } = schema as Keywords;
  if (typeof value !== "string" || value.length <= maxLength) return shellOf(schema);
  const sizeOnly = sizesOnly.get(schema) ?? { ...rest, maxLength };
  sizesOnly.set(schema, sizeOnly);
  // Lengths are counted in characters, of which some are two units.
  return isRight(sizeOnly, value) ? shellOf(schema) : sizeOnly;
}

function tellErrors(schema: TSchema, value: unknown, start: Path, problems: Map<string, string>): void {
  const shell = shellFor(schema, value);
  if (isRight(shell, value)) return;
  for (const { keyword, instancePath, params, message } of Errors(shell, value)) {
    const inner = instancePath.split("/").slice(1).map(unescaped);
    const at = schemaAt(schema, inner);
    const path = [...start, ...inner];
    const tell = (names: readonly string[], text: string) => {
      for (const name of names.slice(0, MOST_TOLD + 1)) problems.set([...path, shownName(name)].join("."), text);
    };
    if ("requiredProperties" in params) tell(params.requiredProperties, "is required");
    else if ("additionalProperties" in params)
      tell(params.additionalProperties, unknownBeside(Object.keys(at?.properties ?? {})));
    else if (keyword !== "boolean") {
      // ("boolean" is how each unknown field fails once more.) A value may break several keywords; said once is enough.
      const wrong = valueAt(value, inner);
      problems.set(
        path.join(".") || "base",
        sentTwice(at, wrong) ?? wronglyNumbered(at, wrong) ?? wanted(at) ?? message,
      );
    }
  }
}

const unknownBeside = (known: readonly string[]): string =>
  `is unknown; ${known.length > 0 ? `use one of ${known.join(", ")}` : "leave it out"}`;

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);

const ONE_VALUE = new Set(["string", "boolean", "integer", "number"]);

/** A form's field that came several times is a list of what came. */
function sentTwice(schema: Keywords | undefined, value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length < 2 || !ONE_VALUE.has(schema?.type ?? "")) return undefined;
  return `must be a single value, but ${value.length} were sent`;
}

/**
 * A list of a form is one if its items are numbered as they follow each other; else it is an object with numbers for names.
 * (An object that is numbered like that came as JSON.)
 */
function wronglyNumbered(schema: Keywords | undefined, value: unknown): string | undefined {
  if (schema?.type !== "array" || typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const names = Object.keys(value);
  return names.every((name) => /^\d+$/.test(name)) && names.some((name, index) => name !== String(index))
    ? "must be numbered from 0 without gaps"
    : undefined;
}

/** RFC 6901 */
const unescaped = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

/** Whether the input may be used. */
export const noProblems = (problems: Problems): boolean => Object.keys(problems).length === 0;

/** `{ latency_ms: … }` → `{ "settings.latency_ms": … }` */
export const under = (prefix: string, problems: Problems): Problems =>
  Object.fromEntries(Object.entries(problems).map(([field, texts]) => [`${prefix}.${field}`, texts]));

/** The keywords that are put into words. */
interface Keywords {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Keywords;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly [MUST_BE]?: string;
}

function schemaAt(schema: TSchema, path: readonly string[]): Keywords | undefined {
  return path.reduce<Keywords | undefined>((at, name) => at?.properties?.[name] ?? at?.items, schema as Keywords);
}

/** "must be …", or undefined where the keywords do not say enough. */
function wanted(schema: Keywords | undefined): string | undefined {
  const words = schema && (schema[MUST_BE] ?? wordsOf(schema));
  return words && `must be ${words}`;
}

function wordsOf(schema: Keywords): string | undefined {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "string":
      if (schema.format !== undefined) return FORMATS[schema.format];
      return schema.pattern === undefined
        ? `a text${range(schema.minLength, schema.maxLength, " characters")}`
        : undefined;
    case "integer":
      return `a whole number${range(schema.minimum, schema.maximum)}`;
    case "boolean":
      return "true or false";
    case "array": {
      const item = schema.items && wordsOf(schema.items);
      return `a list${schema.minItems ? ` of at least ${schema.minItems}` : ""}, none repeated${item ? `, each ${item}` : ""}`;
    }
    case "object":
      return "an object";
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  "date-time": "a time with its offset from UTC, like 2039-01-31T00:00:00Z",
};

function range(least: number | undefined, most: number | undefined, unit = ""): string {
  if (most === undefined) return least === undefined ? "" : ` of ${least}${unit} or more`;
  return ` ${unit ? "of" : "from"} ${least ?? 0} to ${most}${unit}`;
}
