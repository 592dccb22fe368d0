// The only reader of the environment. Every wrong value is named, all at once, each with what would be right;
// values that are secret never show, neither in a problem nor when settings are printed.

import { isIP } from "node:net";
import { basename, join, resolve } from "node:path";
import { inspect } from "node:util";
import { withFiles } from "./environment.ts";
import {
  type MetricsSettings,
  READS_OTHERWISE,
  readObservabilitySettings,
  type TracesSettings,
} from "./observability-settings.ts";
import { DEFAULT_CHALLENGE_MINUTES, isPayerAddress, MOST_CHALLENGE_MINUTES } from "./payment/challenge.ts";
import { unknownNames } from "./setting-names.ts";
import { tlsProblems } from "./tls-parameters.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const LOG_FORMATS = ["json", "text"] as const;
const MODES = ["sandbox", "live"] as const;
const ON_OFF = ["on", "off"] as const;
const SECRET_MIN_BYTES = 32;
const MOST_WORKERS = 128;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];
export type Mode = (typeof MODES)[number];

export type Settings = {
  /** HOST: the address to listen on. */
  readonly host: string;
  /** PORT: 0 to 65535; 0 lets the system choose. */
  readonly port: number;
  /** FAREGATE_MODE: "live" needs a DATABASE_URL; without either it is "sandbox". */
  readonly mode: Mode;
  /** DATABASE_URL: a PostgreSQL of one's own, printed without its password; without it the embedded one is started. */
  readonly databaseUrl: Concealed<string> | undefined;
  /** FAREGATE_DATA: absolute path of the folder for what this machine keeps. */
  readonly dataFolder: string;
  /** RATE_LIMIT_PER_MINUTE: requests per token and minute; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** FAILED_AUTHENTICATIONS_PER_MINUTE: from one address; 0 is no limit. */
  readonly failedAuthenticationsPerMinute: number;
  /** TRUST_PROXY: addresses and networks of proxies whose X-Forwarded-For is believed; none unless named. */
  readonly trustProxy: readonly string[];
  /** PROXY_PROTOCOL: addresses and networks of load balancers whose connections begin with the PROXY protocol's header. */
  readonly proxyProtocol?: readonly string[];
  /** BASE_PATH: `/pay`, under which a proxy shows the gateway; empty without. */
  readonly basePath?: string;
  /** PUBLIC_URL: `https://pay.example.com`, where payers reach the gateway, with its base path; without a slash at its end. */
  readonly publicUrl?: string | undefined;
  /** CHALLENGE_MINUTES: so long a payer has to authenticate. */
  readonly challengeMinutes?: number;
  /** WORKERS: so many processes take requests; undefined: as many as the machine is good for. */
  readonly workers?: number | undefined;
  /** HEAVY_WORKER: whether lists, exports and large bodies may have a process of their own. */
  readonly heavyWorker?: boolean;
  /** METRICS_PORT, METRICS_HOST, METRICS_TOKEN: undefined without a port. */
  readonly metrics?: MetricsSettings | undefined;
  /** TRACES_ENDPOINT, TRACES_SHARE: undefined without an address. */
  readonly traces?: TracesSettings | undefined;
  /** ACCESS_LOG: a line for each request. */
  readonly accessLog?: boolean;
  /** LOG_LEVEL */
  readonly logLevel: LogLevel;
  /** LOG_FORMAT: without it, text in a terminal and JSON elsewhere. */
  readonly logFormat?: LogFormat | undefined;
  /** FAREGATE_SECRET: 32 bytes or more; always there in live mode, in the sandbox a file in the data folder serves. */
  readonly secret: Concealed<Buffer> | undefined;
  /** FAREGATE_MASTER_KEY: 32 bytes each; the first wraps data keys, the others only open. */
  readonly masterKeys?: Concealed<readonly Buffer[]> | undefined;
  /** FAREGATE_MASTER_KEY_FILE: absolute path; in the sandbox, a file in the data folder serves without it. */
  readonly masterKeyFile?: string | undefined;
  /** FAREGATE_FENCE_FILE: absolute path, outside of what the database's backups put back. */
  readonly fenceFile?: string | undefined;
};

export type SettingsRead =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** A value that prints as `•••`, or as what may be shown of it, whatever prints it. */
export class Concealed<T> {
  readonly #value: T;
  readonly #shown: string;
  constructor(value: T, shown = "•••") {
    this.#value = value;
    this.#shown = shown;
  }
  reveal(): T {
    return this.#value;
  }
  toString(): string {
    return this.#shown;
  }
  toJSON(): string {
    return this.#shown;
  }
  [inspect.custom](): string {
    return this.#shown;
  }
}

/**
 * Checks all of them before it says what is wrong.
 * @param its `looks`: a command that only looks needs no secret
 */
export function readSettings(given: Environment, its: "gateway" | "looks" = "gateway"): SettingsRead {
  const { env, problems: ofFiles } = withFiles(given);
  const problems = [...unknownNames(given), ...ofFiles];
  /** The variable's value, or undefined when it is unset, empty, or not what `parse` takes (then it is a problem). */
  function read<T>(name: string, parse: (text: string) => T | undefined, right: string, show = true): T | undefined {
    const text = env[name];
    if (text === undefined || text === "") return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(`${name}${show ? ` is ${JSON.stringify(text)}, but` : ""} must be ${right}`);
    return value;
  }

  const host = read("HOST", parseHost, "an IP address or a host name");
  const port = read("PORT", (text) => parseWhole(text, 65535), "a whole number from 0 to 65535");
  const mode = read("FAREGATE_MODE", oneOf(MODES), MODES.join(" or "));
  const databaseUrl = read("DATABASE_URL", parseDatabaseUrl, DATABASE_URL_FORM, false);
  if (databaseUrl !== undefined) problems.push(...tlsProblems(databaseUrl.reveal()));
  const dataFolder = read("FAREGATE_DATA", parsePath, PATH_FORM);
  const rateLimit = read(
    "RATE_LIMIT_PER_MINUTE",
    (text) => parseWhole(text, 1e9),
    "a whole number, 0 for no limit at all",
  );
  const failedAuthentications = read(
    "FAILED_AUTHENTICATIONS_PER_MINUTE",
    (text) => parseWhole(text, 1e9),
    "a whole number, 0 for no limit at all",
  );
  const trustProxy = read(
    "TRUST_PROXY",
    parseNetworks,
    "IP addresses or networks of your proxies, with commas between them, such as 10.0.0.0/8, 192.0.2.7",
  );
  const proxyProtocol = read(
    "PROXY_PROTOCOL",
    parseNetworks,
    "IP addresses or networks of the load balancers that send its header, with commas between them, such as 10.0.0.0/8, 192.0.2.7",
  );
  const basePath = read("BASE_PATH", parseBasePath, BASE_PATH_FORM);
  const publicUrl = read("PUBLIC_URL", parsePublicUrl, PUBLIC_URL_FORM);
  const challengeMinutes = read(
    "CHALLENGE_MINUTES",
    (text) => (Number(text) < 1 ? undefined : parseWhole(text, MOST_CHALLENGE_MINUTES)),
    `a whole number from 1 to ${MOST_CHALLENGE_MINUTES}`,
  );
  const workers = read("WORKERS", parseWorkers, `a whole number from 1 to ${MOST_WORKERS}`);
  const heavyWorker = read("HEAVY_WORKER", oneOf(ON_OFF), ON_OFF.join(" or "));
  const conceal = (text: string) => new Concealed(text);
  const parsers = { host: parseHost, whole: parseWhole, conceal };
  const { metrics, traces } = readObservabilitySettings(read, parsers, problems);
  const accessLog = read("ACCESS_LOG", oneOf(ON_OFF), ON_OFF.join(" or "));
  const logLevel = read("LOG_LEVEL", oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(", ")}`);
  const logFormat = read("LOG_FORMAT", oneOf(LOG_FORMATS), LOG_FORMATS.join(" or "));
  const secret = read("FAREGATE_SECRET", parseSecret, `at least ${SECRET_MIN_BYTES} bytes as base64 or hex`, false);

  const masterKeys = read(
    "FAREGATE_MASTER_KEY",
    parseMasterKeys,
    "32 bytes as base64; several of them with commas between, the one to use first",
    false,
  );
  const masterKeyFile = read("FAREGATE_MASTER_KEY_FILE", parsePath, PATH_FORM);

  const fenceFile = read("FAREGATE_FENCE_FILE", parsePath, PATH_FORM);

  if (env.FAREGATE_MASTER_KEY && env.FAREGATE_MASTER_KEY_FILE)
    problems.push("FAREGATE_MASTER_KEY and FAREGATE_MASTER_KEY_FILE are both set: set only one of them");
  if (mode === "live" && !env.DATABASE_URL) {
    problems.push(`FAREGATE_MODE is "live", but DATABASE_URL is not set: it must be ${DATABASE_URL_FORM}`);
  }
  const effectiveMode = mode ?? (env.DATABASE_URL ? "live" : "sandbox");
  if (its === "gateway" && effectiveMode === "live" && !env.FAREGATE_SECRET) {
    problems.push(
      `FAREGATE_SECRET is not set, and live mode needs it: at least ${SECRET_MIN_BYTES} random bytes as base64 or hex ` +
        "(openssl rand -base64 32), kept apart from the database; or set FAREGATE_MODE=sandbox",
    );
  }
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    settings: {
      host: host ?? "127.0.0.1",
      port: port ?? 8080,
      mode: effectiveMode,
      databaseUrl,
      dataFolder: dataFolder ?? defaultDataFolder(),
      rateLimitPerMinute: rateLimit ?? 1000,
      failedAuthenticationsPerMinute: failedAuthentications ?? 30,
      trustProxy: trustProxy ?? [],
      proxyProtocol: proxyProtocol ?? [],
      basePath: basePath ?? "",
      publicUrl,
      challengeMinutes: challengeMinutes ?? DEFAULT_CHALLENGE_MINUTES,
      workers,
      heavyWorker: heavyWorker !== "off",
      metrics,
      traces,
      accessLog: accessLog === "on",
      logLevel: logLevel ?? "info",
      logFormat,
      secret,
      masterKeys,
      masterKeyFile,
      fenceFile,
    },
  };
}

const PATH_FORM = "a path without control characters";

function parsePath(text: string): string | undefined {
  return text.trim() === "" || READS_OTHERWISE.test(text) ? undefined : resolve(text);
}

/** Of a checkout, the project's. Of the installed package, that of the folder it is started in. */
const defaultDataFolder = (): string =>
  basename(import.meta.dirname) === "dist" ? resolve("data") : join(import.meta.dirname, "..", "data");

const DATABASE_URL_FORM =
  "an address like postgres://user:password@host:5432/database (special characters of the password percent-encoded)";

function oneOf<T extends string>(values: readonly T[]): (text: string) => T | undefined {
  return (text) => values.find((value) => value === text);
}

function parseWhole(text: string, most: number): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

const BASE_PATH_FORM = "a path such as /pay, of letters, digits and - . _ ~, with no slash at its end";

/** Segments that mean the same everywhere: no dots alone, nothing encoded. `/` is no base path. */
function parseBasePath(text: string): string | undefined {
  if (text === "/") return "";
  return text.length <= 200 && /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/.test(text) ? text : undefined;
}

const PUBLIC_URL_FORM =
  "the address at which payers reach the gateway, such as https://pay.example.com, with BASE_PATH if there is one; http:// only on this machine";

function parsePublicUrl(text: string): string | undefined {
  if (!isPayerAddress(text) || /[?#\s]/.test(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, "");
}

function parseWorkers(text: string): number | undefined {
  const workers = parseWhole(text, MOST_WORKERS);
  return workers === 0 ? undefined : workers;
}

function parseHost(text: string): string | undefined {
  const name = /^(?!.*\.\.)[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$/;
  const numeric = /^[\d.]+$/; // 127.0.0.256 is a wrong address, not a host name
  return isIP(text) !== 0 || (name.test(text) && !numeric.test(text)) ? text : undefined;
}

/** A network of all addresses would believe anybody: 0.0.0.0/0 is none. */
function parseNetworks(text: string): readonly string[] | undefined {
  const networks = text.split(",").map((part) => part.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  return bits === undefined || (Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128));
}

function parseDatabaseUrl(text: string): Concealed<string> | undefined {
  // Several hosts may stand in one address (host1,host2:5433): the first is enough to judge the form.
  const url = URL.parse(text.replace(/,[^/?@]*(?=[/?]|$)/, ""));
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol) || /\s/.test(text)) return undefined;
  // A / ? or # of the password that is not encoded ends the host's name early.
  if (
    READS_OTHERWISE.test(text) ||
    url.hash.includes("@") ||
    url.pathname.includes("@") ||
    /^\?[^=]*@/.test(url.search)
  )
    return undefined;
  if (url.hostname === "" && !url.searchParams.has("host")) return undefined;
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return undefined; // a bare % in the password
  }
  const password = url.password === "" ? "" : ":•••";
  const user = url.username === "" ? "" : `${url.username}${password}@`;
  return new Concealed(text, `${url.protocol}//${user}${url.host}${url.pathname}`);
}

function parseSecret(text: string): Concealed<Buffer> | undefined {
  const bytes = decodeSecret(text);
  return bytes !== undefined && bytes.length >= SECRET_MIN_BYTES ? new Concealed(bytes) : undefined;
}

function parseMasterKeys(text: string): Concealed<readonly Buffer[]> | undefined {
  const texts = text.split(",").map((part) => part.trim());
  const keys = texts.map((part) => Buffer.from(part, "base64"));
  const right = keys.every((key, index) => key.length === 32 && key.toString("base64") === texts[index]);
  return right ? new Concealed(keys) : undefined;
}

function decodeSecret(text: string): Buffer | undefined {
  // What is all hex digits is hex: as base64 it would look longer than it is.
  if (/^[0-9a-fA-F]+$/.test(text)) return text.length % 2 === 0 ? Buffer.from(text, "hex") : undefined;
  const [, digits] = /^([\w+/-]+)={0,2}$/.exec(text) ?? [];
  return digits !== undefined && digits.length % 4 !== 1 ? Buffer.from(digits, "base64") : undefined;
}
