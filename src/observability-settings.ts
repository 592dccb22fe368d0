// The settings of metrics and traces. There are no metrics without a port, and no traces without an address to send them to.

import { isIP } from "node:net";

/** Control characters, and those that begin a line or turn the text for its reader: no setting has them. */
export const READS_OTHERWISE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

export interface MetricsSettings {
  /** METRICS_HOST */
  readonly host: string;
  /** METRICS_PORT: 0 lets the system choose. */
  readonly port: number;
  /** METRICS_TOKEN: there unless this machine alone can connect. */
  readonly token: { reveal(): string } | undefined;
}

export interface TracesSettings {
  /** TRACES_ENDPOINT: where OpenTelemetry's protocol is spoken over HTTP, with its path. */
  readonly endpoint: string;
  /** TRACES_SHARE: of the requests, from above 0 to 1. */
  readonly share: number;
}

interface Parsers {
  readonly host: (text: string) => string | undefined;
  readonly whole: (text: string, most: number) => number | undefined;
  readonly conceal: (text: string) => MetricsSettings["token"];
}

type Read = <T>(name: string, parse: (text: string) => T | undefined, right: string, show?: boolean) => T | undefined;

/** @param problems takes what is wrong with several of them together */
export const readObservabilitySettings = (read: Read, parsers: Parsers, problems: string[]) => ({
  metrics: readMetrics(read, parsers, problems),
  traces: readTraces(read),
});

/** RFC 6750, section 2.1: what may stand behind `Bearer`. */
const TOKEN = /^[A-Za-z0-9._~+/-]{16,256}=*$/;
const TOKEN_FORM = "16 to 256 letters, digits and . _ ~ + / - (openssl rand -base64 32)";

/** Whoever can reach `/metrics` over the network needs a token. */
function readMetrics(
  read: Read,
  { host: parseHost, whole, conceal }: Parsers,
  problems: string[],
): MetricsSettings | undefined {
  const port = read("METRICS_PORT", (text) => whole(text, 65_535), "a whole number from 0 to 65535");
  const host = read("METRICS_HOST", parseHost, "an IP address or a host name") ?? "127.0.0.1";
  const token = read(
    "METRICS_TOKEN",
    (text) => (TOKEN.test(text) ? conceal(text) : undefined),
    TOKEN_FORM,
    // It is a secret.
    false,
  );
  if (port === undefined) return undefined;
  if (token === undefined && !isLoopback(host))
    problems.push(
      `METRICS_HOST is ${JSON.stringify(host)}, which other machines can reach: METRICS_TOKEN must be set, ${TOKEN_FORM}`,
    );
  return { host, port, token };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

function readTraces(read: Read): TracesSettings | undefined {
  const endpoint = read("TRACES_ENDPOINT", parseEndpoint, "an address such as http://127.0.0.1:4318/v1/traces");
  const share = read("TRACES_SHARE", parseShare, "a number above 0 and up to 1, such as 0.01");
  return endpoint === undefined ? undefined : { endpoint, share: share ?? 1 };
}

const MOST_URL = 2_048;

/** What the parser would take away in silence is refused: blanks, line ends, a backslash for a slash. */
function parseEndpoint(text: string): string | undefined {
  if (text.length > MOST_URL || /[\s\\#]/.test(text) || READS_OTHERWISE.test(text)) return undefined;
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === "" && url.password === "" && url.pathname !== "/" ? text : undefined;
}

function parseShare(text: string): number | undefined {
  const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  return share > 0 && share <= 1 ? share : undefined;
}
