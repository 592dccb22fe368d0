// A message: its type and its fields, as text. Whoever prints one sees which fields it has and not what is in them.

/** By field number. */
export type Fields = { readonly [field: number]: string | undefined };

export class Message {
  /** Message type indicator, four digits. */
  readonly mti: string;
  // A private field: out of reach of JSON, structured clones and debuggers' dumps.
  readonly #fields: ReadonlyMap<number, string>;

  constructor(mti: string, fields: Fields | ReadonlyMap<number, string>) {
    this.mti = mti;
    this.#fields = fields instanceof Map ? fields : new Map(given(fields as Fields));
  }

  get(field: number): string | undefined {
    return this.#fields.get(field);
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  get fieldNumbers(): readonly number[] {
    return [...this.#fields.keys()].sort((one, other) => one - other);
  }

  /** The same type and fields, except for these; undefined takes one away. */
  with(fields: Fields, mti = this.mti): Message {
    return new Message(mti, { ...Object.fromEntries(this.#fields), ...fields });
  }

  /** The same type, with what it has of these fields. */
  only(fields: ReadonlySet<number>): Message {
    return new Message(this.mti, new Map([...this.#fields].filter(([field]) => fields.has(field))));
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

function* given(fields: Fields): Generator<[number, string]> {
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) yield [Number(key), value];
  }
}
