// What is wrong with the input of a person who sets up merchants: every wrong field at once, each with what would be
// right. Values never show, since some are secret.
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { Settings } from "typebox/system";
import { strayCardNumbers, withoutCardNumber } from "./stray-card-numbers.ts";

/** Field, dotted (`settlement.cutoff_at`; `base` is the input as a whole), to sentences without it: "must be …". */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** In a schema: what the value must be, in words, where the schema's keywords say it only to a machine. */
export const MUST_BE = "x-must-be";

// TypeBox stops at the eighth error by default; each field may have several, and all wrong fields are to be named.
Settings.Set({ maxErrors: 1000 });

const validators = new WeakMap<TSchema, Validator>();

/**
 * Empty when the value is what the schema says and holds a card number only where one belongs.
 * @param ignored dotted names of fields that were left out of the value
 */
export function problemsOf(schema: TSchema, value: unknown, ignored: readonly string[] = []): Problems {
  const problems = schemaProblems(schema, value);
  const strays = strayCardNumbers(schema, value, ignored);
  if (strays.size === 0) return problems;
  const all: Record<string, readonly string[]> = { ...problems };
  for (const [field, text] of strays) all[field] = [...(problems[field] ?? []), text];
  return all;
}

/** Empty when the value is what the schema says. Unknown fields are a problem only where the schema admits none. */
export function schemaProblems(schema: TSchema, value: unknown): Problems {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  if (validator.Check(value)) return {};
  const problems = new Map<string, string>();
  for (const { keyword, instancePath, params, message } of validator.Errors(value)) {
    const path = instancePath.split("/").slice(1).map(unescaped);
    const at = schemaAt(schema, path);
    const fields = (names: readonly string[]) => names.map((name) => [...path, withoutCardNumber(name)].join("."));
    if ("requiredProperties" in params) {
      for (const field of fields(params.requiredProperties)) problems.set(field, "is required");
    } else if ("additionalProperties" in params) {
      const known = Object.keys(at?.properties ?? {}).join(", ") || "none";
      for (const field of fields(params.additionalProperties)) problems.set(field, `is unknown; there are ${known}`);
    } else if (keyword !== "boolean") {
      // ("boolean" is how each unknown field fails once more.) A value may break several keywords; said once is enough.
      problems.set(path.join(".") || "base", wanted(at) ?? message);
    }
  }
  return Object.fromEntries([...problems].map(([field, text]) => [field, [text]]));
}

/** RFC 6901 */
const unescaped = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

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
      return `a list${schema.minItems ? ` of at least ${schema.minItems}` : ""}, each once${item ? `: ${item}` : ""}`;
    }
    case "object":
      return "an object";
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a uuid",
  "date-time": "a time with its offset from UTC, like 2039-01-31T00:00:00Z",
};

function range(least: number | undefined, most: number | undefined, unit = ""): string {
  if (most === undefined) return least === undefined ? "" : ` of ${least}${unit} or more`;
  return ` ${unit ? "of" : "from"} ${least ?? 0} to ${most}${unit}`;
}
