// Gives the document's shapes their names: what stands inside of another schema under a name of its own becomes a component,
// and so do the bodies of responses that wrap one record, or a list of them.

type Json = Readonly<Record<string, unknown>>;

/** In a schema: the name of the component that it becomes. */
export const COMPONENT = "x-component";

const PREFIX = "#/components/schemas/";
const refTo = (name: string) => ({ $ref: PREFIX + name });

/** The name of the component that a schema refers to; "" if it refers to none. */
export const nameOf = (schema: unknown): string => String((schema as Json | undefined)?.$ref ?? "").replace(PREFIX, "");

/** Collects components while the document is made. */
export function componentsBesides(given: Readonly<Record<string, unknown>>) {
  const found = new Map<string, string>();

  /** A reference to the schema. Two schemas under one name would be a mistake of ours. */
  function refer(name: string, schema: Json): Json {
    const text = JSON.stringify(schema);
    const before = name in given ? "another" : found.get(name);
    if (before !== undefined && before !== text) throw new Error(`two different components are named ${name}`);
    found.set(name, text);
    return refTo(name);
  }

  return {
    refer,
    /** `{"merchant": …}` is a MerchantEnvelope, `{"merchants": […]}` a MerchantList; anything else stays as it is. */
    referWrapped: (schema: Json): Json => {
      const name = wrapperName(schema);
      return name === undefined ? schema : refer(name, schema);
    },
    /** All that were found, by name. */
    all: (): Readonly<Record<string, Json>> =>
      Object.fromEntries([...found].map(([name, text]) => [name, JSON.parse(text) as Json])),
  };
}

export type Components = ReturnType<typeof componentsBesides>;

function wrapperName({ properties }: Json): string | undefined {
  const { meta: _meta, ...others } = (properties ?? {}) as Readonly<Record<string, Json>>;
  const [only, ...more] = Object.values(others);
  if (only === undefined || more.length > 0) return undefined;
  if (nameOf(only) !== "") return `${nameOf(only)}Envelope`;
  return nameOf(only.items) === "" ? undefined : `${nameOf(only.items)}List`;
}
