// Where a simulated installation keeps its records; here in memory, in postgres-house.ts in a database.

import { v7 as uuidv7 } from "uuid";
import type { Journal } from "../../src/journal/journal.ts";
import type { Backlog } from "../../src/journal/nodes.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import { type HandClock, handClock } from "../hand-clock.ts";
import { memoryInstallation } from "../memory-journal.ts";
import { at } from "../transactions.ts";

export interface HouseNode {
  readonly id: number;
  readonly journal: Journal;
  readonly backlog: Backlog;
}

/** One merchant's records, and nodes that write to them. */
export interface House {
  readonly clock: HandClock;
  readonly merchantId: string;
  /** A node that has not been in use before, or is done with all it had to do. */
  join(): Promise<HouseNode>;
  declareDead(node: number): Promise<void>;
  /** In the order of their numbers, which begin with 1 and have no gaps. */
  transactions(): Promise<readonly Transaction[]>;
  unresolved(): Promise<number>;
}

const START = at("1 12:00");

export function memoryHouse(): House {
  const clock = handClock(START);
  const installation = memoryInstallation();
  const merchantId = uuidv7();
  installation.addMerchant(merchantId);
  return {
    clock,
    merchantId,
    join: async () => installation.join(clock),
    declareDead: async (node) => installation.declareDead(node),
    transactions: async () => installation.transactionsOf(merchantId).map(({ transaction }) => transaction),
    unresolved: async () => installation.unresolved,
  };
}
