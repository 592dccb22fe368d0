// What DATABASE_URL says about TLS. pg-connection-string passes over a name or a value that it does not know, and then connects
// without TLS: a slip of the pen in `sslmode=verify-full` would send everything in the clear, and nothing would tell.

const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"];
const SWITCHES = ["true", "false", "1", "0"];
const FILES = ["sslcert", "sslkey", "sslrootcert"];

const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ["sslmode", MODES],
  ["ssl", SWITCHES],
  ["sslnegotiation", ["direct", "postgres"]],
]);

/** Never with the URL itself, which holds a password. */
export function tlsProblems(databaseUrl: string): readonly string[] {
  const [, query = ""] = /\?([^#]*)/.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  const problems = [...parameters].flatMap(([name, value]) => problemOf(name, value) ?? []);
  // PostgreSQL, section 32.19.1: verify-ca does not compare the name in the certificate. Without that file every public authority is
  // trusted, so whoever has a certificate of one could pass for the database.
  if (parameters.get("sslmode") === "verify-ca" && !parameters.get("sslrootcert"))
    problems.push("sslmode=verify-ca in DATABASE_URL needs sslrootcert, the file with the authority's certificate");
  return problems;
}

function problemOf(name: string, value: string): string | undefined {
  if (!/ssl|tls/i.test(name)) return undefined;
  const values = VALUES.get(name);
  if (values?.includes(value)) return undefined;
  if (values !== undefined) return `${name} in DATABASE_URL is ${JSON.stringify(value)}, but must be ${oneOf(values)}`;
  if (FILES.includes(name)) return value === "" ? `${name} in DATABASE_URL is empty, but must be a path` : undefined;
  return `DATABASE_URL has ${JSON.stringify(name)}, but of TLS it can have ${oneOf([...VALUES.keys(), ...FILES])}`;
}

const oneOf = (values: readonly string[]): string => `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
