// A message: its type and its fields, as text. Whoever prints one sees which fields it has and not what is in them.

import { type FieldNumber, isFieldNumber } from "./fields.ts";

export type Fields = { readonly [field in FieldNumber]?: string | undefined };

export class Message {
  /** Message type indicator, four digits. */
  readonly mti: string;
  // A private field: out of reach of JSON, structured clones and debuggers' dumps.
  readonly #fields: ReadonlyMap<FieldNumber, string>;

  constructor(mti: string, fields: Fields | ReadonlyMap<FieldNumber, string>) {
    this.mti = mti;
    this.#fields = fields instanceof Map ? fields : new Map(given(fields as Fields));
  }

  get(field: FieldNumber): string | undefined {
    return this.#fields.get(field);
  }

  has(field: FieldNumber): boolean {
    return this.#fields.has(field);
  }

  get fieldNumbers(): readonly FieldNumber[] {
    return [...this.#fields.keys()].sort((one, other) => one - other);
  }

  /** The same type and fields, but for these; undefined takes one away. */
  with(fields: Fields, mti = this.mti): Message {
    return new Message(mti, { ...Object.fromEntries(this.#fields), ...fields });
  }

  equals(other: Message): boolean {
    return (
      this.mti === other.mti &&
      this.#fields.size === other.#fields.size &&
      [...this.#fields].every(([field, value]) => other.#fields.get(field) === value)
    );
  }

  toString(): string {
    return `${this.mti} with fields ${this.fieldNumbers.join(", ")}`;
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

function* given(fields: Fields): Generator<[FieldNumber, string]> {
  for (const [key, value] of Object.entries(fields)) {
    const field = Number(key);
    if (value !== undefined && isFieldNumber(field)) yield [field, value];
  }
}
