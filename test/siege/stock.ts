// What the merchants have on record before the siege: some thousands of sales, some of them with a megabyte of `meta`, and a
// batch with its events.

import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { largeSale, MEGABYTE, saleAt } from "./bodies.ts";
import { type Account, ADDRESSES, type Ground, MERCHANTS, type MerchantName } from "./ground.ts";
import { type House, newToken } from "./house.ts";
import type { Stock } from "./plan.ts";
import { sendOn } from "./send.ts";

const AT_ONCE = 16;
const NO_LIMIT = 0;
const KNOWN = 200;
const DAY_MS = 24 * 3_600_000;
const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 200;
/** An order number's most: rows of an export are as long as they may be. */
const LONG = "x".repeat(200);

export async function lay(house: House, stock: Stock): Promise<Ground> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const known = {} as Record<MerchantName, string[]>;
  const note = "word ".repeat(MEGABYTE / 5);
  for (const name of MERCHANTS) {
    const account = house.merchants[name];
    const token = await newToken(house, account, NO_LIMIT);
    const sell = (body: object) => sold(house.port, agent, token, body);
    const sales = name === "A" ? stock.batch : stock.others;
    known[name] = await many(sales, (nth) =>
      sell(saleAt(account.processorId, { ...PERSON, merchant_transaction_id: `s-${nth}-${LONG}` })),
    );
    if (name === "A")
      await many(stock.large, (nth) =>
        sell({ ...largeSale(account.processorId, note), merchant_transaction_id: `large-${nth}` }),
      );
  }
  agent.destroy();
  const { A, B, C, D } = house.merchants;
  const knowing = (name: MerchantName, account: Omit<Account, "known">) => ({
    ...account,
    known: known[name].slice(0, KNOWN),
  });
  const merchants = { A: knowing("A", A), B: knowing("B", B), C: knowing("C", C), D: knowing("D", D) };
  const batchId = await batchOf(house, merchants.A);
  return { port: house.port, operatorToken: house.gateway.sandbox.operator_token, merchants, batchId };
}

const PERSON = { first_name: "Jane", last_name: "Doe", email: "jane@example.com", city: "Los Gatos", zip: "95030" };

async function many(count: number, one: (nth: number) => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) ids.push(await one(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ids;
}

async function sold(port: number, agent: Agent, token: string, body: object): Promise<string> {
  for (;;) {
    const by = { port, from: ADDRESSES.stock, agent, token, withinMs: WITHIN_MS };
    const { status, text } = await sendOn(by, "POST", "/api/transactions/sale", body);
    if (status === 200) {
      const shown = JSON.parse(text) as { transaction: { id: string } };
      return shown.transaction.id;
    }
    if (status !== 429 && status !== 503) throw new Error(`a sale before the siege: ${status} ${text}`);
    await sleep(AGAIN_AFTER_MS);
  }
}

/** The clock moves on a day: what was sold today is in a batch. */
async function batchOf({ operator }: House, { processorId }: Account): Promise<string> {
  const { now } = (await operator("GET", "/operator/clock")).body;
  const tomorrow = new Date(Date.parse(now) + DAY_MS).toISOString();
  const moved = await operator("POST", "/operator/clock", { now: tomorrow });
  if (moved.status !== 200) throw new Error(moved.text);
  const listed = await operator("GET", `/operator/batches?processor_id=${processorId}`);
  const id = listed.body?.batches?.[0]?.id;
  if (typeof id !== "string") throw new Error(`there is no batch: ${listed.text}`);
  return id;
}
