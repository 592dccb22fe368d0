// A gateway whose sandbox merchant is the biggest of twenty, with many transactions from before, and sales that go on.

import type { Sql } from "../../src/journal/database.ts";
import { newFolder, openDatabase } from "../data.ts";
import { launchGateway, type RunningGateway } from "../gateway.ts";
import type { Undo } from "../undo.ts";
import { fill } from "./fill.ts";

export interface Shop {
  readonly folder: string;
  readonly gateway: RunningGateway;
  readonly sql: Sql;
}

export async function openShop(undo: Undo, transactions: number, say: (line: string) => void): Promise<Shop> {
  const folder = newFolder(undo);
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const sql = await openDatabase(undo, folder);
  const { merchant_id: big, processors } = gateway.sandbox;
  await fill(sql, { transactions, big, processorId: processors.usd ?? "" }, say);
  return { folder, gateway, sql };
}
