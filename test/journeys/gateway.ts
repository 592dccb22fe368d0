// The real gateway in the process of the test: on a port of its own, a fresh database and a data folder that is removed
// after. Journeys speak HTTP to it and know nothing of its code.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino, { type Logger } from "pino";
import { systemClock } from "../../src/clock.ts";
import type { Refitted } from "../../src/core.ts";
import { startGateway } from "../../src/gateway-process.ts";
import type { Sql } from "../../src/journal/database.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { createOperatorToken } from "../../src/merchants/operator-tokens.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import type { Sandbox } from "../../src/sandbox.ts";
import { Concealed, type Settings } from "../../src/settings.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";

export interface Request {
  /** Null: none at all. Without it, the sandbox's API token. */
  readonly token?: string | null;
  readonly json?: unknown;
  /** Nested objects and lists become brackets. */
  readonly form?: object;
  readonly multipart?: object;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer, it says by looking for it
  readonly body: any;
}

/** For comparing: the status, and the fields that are wrong, by the alphabet. `422 email name` */
export const told = ({ status, body }: Answer): string =>
  [status, ...Object.keys(body?.error?.message ?? {}).sort()].join(" ");

type Call = (method: string, path: string, request?: Request) => Promise<Answer>;

export interface TestGateway {
  /** `http://127.0.0.1:34567` */
  readonly url: string;
  readonly pool: Sql;
  readonly address: FreshDatabase["address"];
  readonly call: Call;
  readonly post: (path: string, json?: unknown, request?: Request) => Promise<Answer>;
  readonly get: (path: string, request?: Request) => Promise<Answer>;
  /** With an operator token. */
  readonly operator: (method: string, path: string, json?: unknown, request?: Request) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export async function startTestGateway(
  options: Partial<Omit<Settings, "mode">> = {},
  refitted: Refitted = {},
  log?: Logger,
): Promise<TestGateway & { readonly sandbox: Sandbox }> {
  const { gateway, ...rest } = await start({ ...options, mode: "sandbox" }, refitted, log);
  const { sandbox } = gateway;
  if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
  return { sandbox, ...callers(gateway.url, sandbox.api_token, sandbox.operator_token), ...rest };
}

/** Live mode begins with empty tables: there are no merchants, and the only token is an operator's. */
export async function startLiveTestGateway(options: Partial<Omit<Settings, "mode">> = {}): Promise<TestGateway> {
  const secret = options.secret ?? new Concealed(randomBytes(32));
  const { gateway, ...rest } = await start({ ...options, secret, mode: "live" });
  const auditKey = async () => auditKeyOf(secret.reveal());
  const office = { sql: rest.pool, clock: systemClock, mode: "live", kinds: PROCESSOR_KINDS, auditKey } as const;
  const created = await createOperatorToken(office, { actor: "test", source: "test" }, { name: "Test" });
  if (created.kind !== "done") throw new Error("an operator token could not be made");
  return { ...callers(gateway.url, null, created.value.secret), ...rest };
}

async function start(options: Partial<Settings>, refitted: Refitted = {}, log = pino({ level: "silent" })) {
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-journey-"));
  const database = await freshDatabase();
  const settings: Settings = {
    host: "127.0.0.1",
    port: 0,
    mode: "sandbox",
    databaseUrl: undefined,
    dataFolder,
    rateLimitPerMinute: 0,
    failedAuthenticationsPerMinute: 0,
    trustProxy: [],
    logLevel: "silent",
    secret: undefined,
    ...options,
  };
  const gateway = await startGateway(settings, log, refitted, lent(database));
  return {
    gateway,
    pool: database.pool,
    address: database.address,
    close: async () => {
      await gateway.close();
      await database.drop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A log for a gateway, and its lines so far. */
export function keptLog() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  return { lines, log: pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) }) };
}

/** The gateway closes what it is given; the database is dropped after. */
const lent = ({ address, pool }: FreshDatabase) => ({
  address,
  pool,
  place: address.database,
  close: async () => undefined,
});

export function callers(url: string, apiToken: string | null, operatorToken: string) {
  const call: Call = async (method, path, request = {}) => {
    const { token = apiToken, headers = {} } = request;
    const { body, type } = await bodyOf(request);
    const given = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(type && { "content-type": type }),
      ...headers,
    };
    const answer = await answered(url + path, method, given, body);
    return { ...answer, body: parsed(answer.text) };
  };
  return {
    url,
    call,
    post: (path: string, json?: unknown, request: Request = {}) => call("POST", path, { json, ...request }),
    get: (path: string, request: Request = {}) => call("GET", path, request),
    operator: (method: string, path: string, json?: unknown, request: Request = {}) =>
      call(method, path, { token: operatorToken, json, ...request }),
  };
}

/** Connections are kept from request to request, as many as are needed at once. */
const agent = new Agent({ keepAlive: true });

/** By Node's own client, which takes less than half of the processor time that `fetch` takes: tests send very many requests. */
function answered(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer | undefined,
): Promise<Omit<Answer, "body">> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { agent, method, headers: { accept: "*/*", ...length, ...headers } };
    const sent = request(url, options, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject).on("end", () => {
        // Without a mark of the byte order.
        const text = new TextDecoder().decode(Buffer.concat(pieces));
        const received = new Headers();
        for (let at = 0; at < response.rawHeaders.length; at += 2)
          received.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "");
        resolve({ status: response.statusCode ?? 0, headers: received, text });
      });
    });
    sent.on("error", reject).end(body);
  });
}

interface Encoded {
  readonly body?: string | Buffer;
  readonly type?: string;
}

async function bodyOf({ json, form, multipart, raw }: Request): Promise<Encoded> {
  if (raw !== undefined) return { body: raw };
  if (json !== undefined) return { body: JSON.stringify(json), type: "application/json" };
  if (form !== undefined)
    return { body: new URLSearchParams(inBrackets(form)).toString(), type: "application/x-www-form-urlencoded" };
  if (multipart === undefined) return {};
  const fields = new FormData();
  for (const [name, value] of inBrackets(multipart)) fields.append(name, value);
  const encoded = new Response(fields);
  return { body: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get("content-type") ?? "" };
}

/** `{ a: { b: [1] } }` → `a[b][0]=1` */
export function inBrackets(value: unknown, name = ""): [string, string][] {
  if (value === undefined) return [];
  if (value === null || typeof value !== "object") return [[name, String(value ?? "")]];
  return Object.entries(value).flatMap(([key, inner]) => inBrackets(inner, name ? `${name}[${key}]` : key));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
