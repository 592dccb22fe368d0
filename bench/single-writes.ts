// A process of its own that writes sales one by one: a row of what is asked and a row of what came of it, each in a commit of its own,
// in two tables with a primary key each. As a server with nothing else, and as a loop without a server.

import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import Fastify from "fastify";
import { type DatabaseAddress, openPool, type Sql } from "../src/journal/database.ts";

/** What the parent sends: first where the database is, then wishes for figures. */
export type FloorAsked =
  | { readonly address: DatabaseAddress }
  | { readonly connections: number; readonly seconds: number };
export interface FloorReply {
  readonly url?: string;
  readonly perSecond?: number;
}

const MOST_CONNECTIONS = 16;
const BODY = JSON.stringify({ filler: "x".repeat(600) });
let sql: Sql | undefined;

process.on("message", async (asked: FloorAsked) => {
  if ("address" in asked) process.send?.({ url: await serve(asked.address) } satisfies FloorReply);
  else process.send?.({ perSecond: await loop(asked.connections, asked.seconds) } satisfies FloorReply);
});
process.on("disconnect", () => void sql?.end({ timeout: 1 }).finally(() => process.exit()));

async function serve(address: DatabaseAddress): Promise<string> {
  sql = openPool(address, "floor", { connections: MOST_CONNECTIONS });
  await sql.unsafe(`
    create table asked (id uuid primary key, created_at timestamptz not null, body text not null);
    create table answered (id uuid primary key, created_at timestamptz not null, body text not null)`);
  const app = Fastify();
  app.post("/*", async (request) => {
    await writeSale(JSON.stringify(request.body));
    return { success: true };
  });
  return app.listen({ host: "127.0.0.1", port: 0 });
}

async function loop(connections: number, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const over = startedAt + seconds * 1_000;
  let sales = 0;
  const write = async () => {
    for (; performance.now() < over; sales++) await writeSale(BODY);
  };
  await Promise.all(Array.from({ length: connections }, write));
  return (sales * 1_000) / (performance.now() - startedAt);
}

async function writeSale(body: string): Promise<void> {
  if (sql === undefined) throw new Error("there is no database yet");
  const id = randomUUID();
  await sql`insert into asked (id, created_at, body) values (${id}, ${new Date()}, ${body})`;
  await sql`insert into answered (id, created_at, body) values (${id}, ${new Date()}, ${body})`;
}
