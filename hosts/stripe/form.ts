// The fields of a request: application/x-www-form-urlencoded, in which brackets nest.

export interface Fields {
  readonly [name: string]: string | Fields | undefined;
}

interface Building {
  [name: string]: string | Building;
}

export function fieldsOf(text: string): Fields {
  const fields = Object.create(null) as Building;
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    const last = path.pop() ?? "";
    let inner = fields;
    for (const part of path) {
      const there = inner[part];
      const next = typeof there === "object" ? there : (Object.create(null) as Building);
      inner[part] = next;
      inner = next;
    }
    inner[last] = value;
  }
  return fields;
}

/** `metadata`, `[card, number]`; undefined where there is no text. */
export function textAt(fields: Fields, ...path: readonly string[]): string | undefined {
  let at: string | Fields | undefined = fields;
  for (const part of path) at = typeof at === "object" ? at[part] : undefined;
  return typeof at === "string" ? at : undefined;
}

/** A whole number, or undefined. */
export function numberAt(fields: Fields, ...path: readonly string[]): number | undefined {
  const text = textAt(fields, ...path);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The texts of an object in the fields. */
export function textsAt(fields: Fields, name: string): Readonly<Record<string, string>> {
  const at = fields[name];
  if (typeof at !== "object") return {};
  return Object.fromEntries(Object.entries(at).filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}
