// Paths of what is read of another's object, as types and in that other's published document.

/** Of our type of the object: `latest_charge.payment_method_details.card.checks`. Lists stand for their entries; free names are left out. */
export type Path<T> = T extends readonly (infer Entry)[]
  ? Path<Entry>
  : T extends object
    ? string extends keyof T
      ? never
      : { [Name in keyof T & string]: Name | `${Name}.${Path<NonNullable<T[Name]>>}` }[keyof T & string]
    : never;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Published {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Which schemas of the document have this path, each as `schema.field`, by way of every schema that may stand there. */
export function placesOf({ components: { schemas } }: Published, root: string, path: string): ReadonlySet<string> {
  const names = path.split(".");
  let at = named({ $ref: `#/components/schemas/${root}` }, root, schemas);
  for (const [index, name] of names.entries()) {
    const having = at.filter(({ schema }) => schema.properties?.[name] !== undefined);
    if (index === names.length - 1) return new Set(having.map(({ within }) => `${within}.${name}`));
    at = having.flatMap(({ schema, within }) => named(schema.properties?.[name] ?? {}, `${within}.${name}`, schemas));
  }
  return new Set();
}

interface Named {
  readonly schema: Schema;
  /** The schema's name, or where it stands in one that has a name. */
  readonly within: string;
}

function named(schema: Schema, within: string, schemas: Published["components"]["schemas"]): Named[] {
  const { $ref, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  const name = $ref?.replace("#/components/schemas/", "");
  if (name !== undefined) return named(schemas[name] ?? {}, name, schemas);
  const others = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])];
  return [{ schema, within }, ...others.flatMap((other) => named(other, within, schemas))];
}
