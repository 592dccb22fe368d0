// The world of tests that deliver webhooks: a real database, a clock moved by hand, merchants with endpoints on loopback.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { type HandClock, handClock } from "../../test/hand-clock.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { type Received, type Receiver, startReceiver, until } from "../../test/receiver.ts";
import { at } from "../../test/transactions.ts";
import { type Delivering, startDelivering } from "./deliver.ts";
import { createWebhook } from "./endpoints.ts";
import { sealing } from "./sealing.ts";
import { openSender } from "./send.ts";

export const AUTHOR = { actor: "test", source: "test" };
export const DAY_MS = 86_400_000;
const SEALING = sealing(randomBytes(32));
export const typesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).type);
export const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers["webhook-id"]);

export interface Delivered {
  readonly installation: PostgresInstallation;
  readonly node: PostgresNode;
  /** With a clock, and merchants of its own; what it started is undone behind it. */
  world(work: (world: World) => Promise<void>): Promise<void>;
}

export type World = ReturnType<typeof made>;

/** To be called in a `describe`: there is a database from its first test to its last. */
export function withDeliveries(): Delivered {
  let installation: PostgresInstallation;
  let node: PostgresNode;
  const undo: (() => Promise<unknown>)[] = [];
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    node = await installation.join();
  });
  after(() => installation.end());
  return {
    get installation() {
      return installation;
    },
    get node() {
      return node;
    },
    world: async (work) => {
      try {
        await work(made(installation, node, handClock(at("1 12:00")), undo));
      } finally {
        for (const step of undo.splice(0).reverse()) await step();
        await installation.pool`truncate webhook_deliveries, webhook_endpoints, unresolved`;
      }
    },
  };
}

function made(
  installation: PostgresInstallation,
  node: PostgresNode,
  clock: HandClock,
  undo: (() => Promise<unknown>)[],
) {
  const sql = installation.pool;
  const auditKey = async () => Buffer.alloc(32);
  const office = { sql, clock, mode: "sandbox", kinds: new Map(), auditKey, sealing: SEALING } as const;
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const merchant = async (): Promise<string> => {
    const id = uuidv7();
    await installation.addMerchant(id);
    await sql`insert into merchants (id, name, created_at) values (${id}, 'Northwind', ${clock.now()})`;
    return id;
  };
  const receiver = async (): Promise<Receiver> => {
    const started = await startReceiver();
    undo.push(started.close);
    return started;
  };
  const endpoint = async (merchantId: string, { url }: Receiver, given: object = {}) => {
    const created = await createWebhook(office, AUTHOR, merchantId, { url, ...given });
    assert(created.kind === "done", JSON.stringify(created));
    return created.value;
  };
  const deliver = (given: Partial<Delivering> = {}) => {
    const represent = async ({ id }: { readonly id: string }) => ({ id });
    const parts = { ...office, log, represent, chance: () => 0, sender: openSender("sandbox"), ...given };
    const deliverer = startDelivering(parts);
    undo.push(deliverer.stop);
    return deliverer;
  };
  /** An approved authorization. */
  const happen = async (merchantId: string, instant = clock.now()) => {
    const transaction = intent(merchantId, instant);
    await node.journal.open(transaction, null);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(instant)));
    return transaction;
  };
  const rows = async (endpointId: string) => [
    ...(await sql<
      {
        id: string;
        due_at: Date | null;
        attempts: number;
        answer: string | null;
        delivered: boolean;
        ended_at: Date | null;
      }[]
    >`select * from webhook_deliveries where endpoint_id = ${endpointId} order by id`),
  ];
  const attempted = (endpointId: string, attempts: number) =>
    until(`${attempts} attempts`, async () => (await rows(endpointId)).every((row) => row.attempts === attempts));
  const settled = (endpointId: string) =>
    until("all delivered", async () => (await rows(endpointId)).every(({ delivered }) => delivered));
  const later = (ms: number) => clock.set(new Date(clock.now().getTime() + ms));
  return { clock, office, merchant, receiver, endpoint, deliver, happen, rows, attempted, settled, later };
}
