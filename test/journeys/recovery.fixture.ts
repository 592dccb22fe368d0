// A gateway on a database whose data can be put back to a moment in the past, and the command line on it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import { Concealed, type Settings } from "../../src/settings.ts";
import { type Ended, faregate } from "../command-line.ts";
import { MovableDatabase } from "../movable-database.ts";
import { type Answer, callers } from "./gateway.ts";

/** A body as it came. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export type Json = any;

const SECRET = Buffer.alloc(32, 7);
const CARD = "4111111111111111";

export type Started = Awaited<ReturnType<Restored["start"]>>;

export class Restored {
  readonly database: MovableDatabase;
  readonly folder: string;
  #gateway: Started | undefined;

  static async open(): Promise<Restored> {
    return new Restored(await MovableDatabase.start());
  }

  private constructor(database: MovableDatabase) {
    this.database = database;
    this.folder = mkdtempSync(join(tmpdir(), "faregate-recovery-"));
  }

  get gateway(): Started {
    if (this.#gateway === undefined) throw new Error("no gateway runs");
    return this.#gateway;
  }

  async start() {
    const settings: Settings = {
      ...{ host: "127.0.0.1", port: 0, mode: "sandbox", databaseUrl: undefined, dataFolder: this.folder },
      ...{ rateLimitPerMinute: 0, failedAuthenticationsPerMinute: 0, trustProxy: [], logLevel: "silent" },
      secret: new Concealed(SECRET),
    };
    const { address, pool } = this.database;
    const gateway = await startGateway(
      settings,
      pino({ level: "silent" }),
      { kinds: PROCESSOR_KINDS, patience: { vouchedWithinMs: 1_000 } },
      { address, pool, place: "test", close: async () => undefined },
    );
    const { sandbox } = gateway;
    if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
    const started = { gateway, sandbox, ...callers(gateway.url, sandbox.api_token, sandbox.operator_token) };
    this.#gateway = started;
    return started;
  }

  /** The machine is lost with all that was done since the backup, and the gateway starts on what is left. */
  async restore(backup: string): Promise<void> {
    await this.gateway.gateway.close();
    await this.database.putBack(backup, "new");
    await this.start();
    await until("recovery mode", async () => {
      const { status, body } = await this.gateway.post("/api/transactions/sale", sale("", "1.00", "none"));
      return status === 503 && /recovery mode/.test(body.error.message.base[0]);
    });
  }

  async release(): Promise<void> {
    const released = await this.faregate("recovery", "release", "--evidence", "compared");
    assert.equal(released.code, 0, released.stderr);
    await until("the release", async () => {
      const metrics = await this.database.pool`select 1 from installation where name = 'recovery'`;
      const { status } = await this.gateway.post(
        "/api/transactions/sale",
        sale(this.usual, "1.00", "after the release"),
      );
      return metrics.length === 0 && status === 200;
    });
  }

  get usual(): string {
    return this.gateway.sandbox.processors.usd ?? "";
  }

  get environment(): NodeJS.ProcessEnv {
    const { address } = this.database;
    if (typeof address === "string") throw new Error("an address in parts");
    const { host, port, user, password, database } = address;
    return {
      DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      FAREGATE_MODE: "sandbox",
      FAREGATE_SECRET: SECRET.toString("base64"),
      FAREGATE_DATA: this.folder,
    };
  }

  faregate(...parameters: string[]): Promise<Ended> {
    return faregate(this.environment, ...parameters);
  }

  async record(kind: string, settings: Json, currency = "USD"): Promise<string> {
    const { operator, sandbox } = this.gateway;
    const { status, body } = await operator("POST", `/operator/merchants/${sandbox.merchant_id}/processors`, {
      ...{ name: kind, kind, currency, in_rotation: false, settings, settlement: { auto_capture_at: null } },
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.processor.id;
  }

  async charge(...charge: Parameters<Restored["chargeAgain"]>): Promise<Json> {
    const { status, body } = await this.chargeAgain(...charge);
    assert.equal(status, 200, JSON.stringify(body));
    return body.transaction;
  }

  /** With the same key for the same order. */
  chargeAgain(
    path: "sale" | "auth",
    processor: string,
    amount: string,
    order: string,
    over: Json = {},
    key = `${path} ${order}`,
  ): Promise<Answer> {
    const headers = { "idempotency-key": key };
    return this.gateway.post(`/api/transactions/${path}`, { ...sale(processor, amount, order), ...over }, { headers });
  }

  async follow(...followUp: Parameters<Restored["followAgain"]>): Promise<Json> {
    const done = await this.followAgain(...followUp);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    return done.body.transaction;
  }

  /** With the same key for the same amount of a transaction. */
  followAgain(id: string, type: string, body: Json = {}, key = `${type} ${body.amount} of ${id}`): Promise<Answer> {
    return this.gateway.post(`/api/transactions/${id}/${type}`, body, { headers: { "idempotency-key": key } });
  }

  async find(id: string): Promise<Json> {
    const { status, body } = await this.gateway.get(`/api/transactions/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.transaction;
  }

  async close(): Promise<void> {
    await this.#gateway?.gateway.close();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const sale = (processor_id: string, amount: string, order: string): Json => ({
  ...{ ...(processor_id && { processor_id }), amount, card_number: CARD, card_cvv: "123" },
  ...{ card_expiry_month: "12", card_expiry_year: "2040", merchant_transaction_id: order, ip_address: "192.0.2.1" },
});

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const since = performance.now(); performance.now() - since < 40_000; await sleep(50))
    if (await holds().catch(() => false)) return;
  throw new Error(`not within 40 s: ${what}`);
}

export const isReplay = ({ status, headers }: Answer): boolean =>
  status === 200 && headers.get("idempotent-replayed") === "true";

/** Of a comparison with --json. */
export function findingsIn({ stdout }: Ended): readonly Json[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
