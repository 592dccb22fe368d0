// The schema of a response as clients may check it: open to what a later version adds. What this version never breaks stands in
// `x-extensible-enum` and `x-invariants`, which say it to people and to our own tests, and to no generated code.

type Json = Readonly<Record<string, unknown>>;

/** Values that a text has in this version; a client has to expect others. The name is in wide use for this. */
export const VALUES = "x-extensible-enum";
/** Keywords of JSON Schema that hold in this version. */
export const INVARIANTS = "x-invariants";

const BOUNDS = new Set(
  "pattern minLength maxLength minimum maximum minItems maxItems uniqueItems minProperties maxProperties".split(" "),
);
/** Those that every language reads, and of which all values are the gateway's own. A client's own date may be of the year 0. */
const FORMATS: readonly unknown[] = ["date-time", "uuid"];
/** Go takes 32 bits for a number that says nothing. */
const WIDEST: Readonly<Record<string, string>> = { integer: "int64", number: "double" };

export function openSchema(schema: Json): Json {
  const { enum: values, const: only, additionalProperties, format, ...kept } = schema;
  const isBound = ([keyword, value]: [string, unknown]) =>
    BOUNDS.has(keyword) || (keyword === "anyOf" && !(value as readonly Json[]).some((one) => "$ref" in one));
  const shown = Object.fromEntries(Object.entries(kept).filter((entry) => !isBound(entry)));
  const isOpen = format === undefined || FORMATS.includes(format);
  const invariants = { ...Object.fromEntries(Object.entries(kept).filter(isBound)), ...(!isOpen && { format }) };
  const known = only === undefined ? values : [only];
  const wide = WIDEST[String([kept.type].flat()[0])] ?? (isOpen ? format : undefined);
  return {
    ...shown,
    ...(wide !== undefined && { format: wide }),
    // Generators read the absence of this keyword as "no others", against the specification: clients in Go and Java then throw.
    ...(kept.properties !== undefined && { additionalProperties: additionalProperties || true }),
    ...(kept.properties === undefined && additionalProperties !== undefined && { additionalProperties }),
    ...(Array.isArray(known) && { [VALUES]: known, description: withValues(kept.description, known) }),
    ...(Object.keys(invariants).length > 0 && { [INVARIANTS]: invariants }),
  };
}

/** Pages that show the document know the keyword `enum` only. */
function withValues(description: unknown, values: readonly unknown[]): string {
  const list = values.map((value) => `\`${value}\``).join(", ");
  const sentence = `${values.length === 1 ? "Now always" : "One of"} ${list}; later versions may add values.`;
  return [description, sentence].filter((text) => text !== undefined && text !== "").join(" ");
}
