// Writers that open and conclude one charge after the other, and note what the journal told them.

import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { type Journal, JournalUnavailable, JournalUncertain } from "../../src/journal/journal.ts";
import { approved, claim, conclusion, intent } from "../conformance/intents.ts";

export interface Written {
  /** Charges of which the journal said that they have their outcome. */
  readonly told: { readonly merchantId: string; readonly id: string }[];
  /** How often it said that it does not know, or that the database is away. */
  uncertain: number;
  /** Anything else that it said. */
  readonly faults: unknown[];
}

export interface Writers {
  readonly written: Written;
  /** Resolves when all have their last answer. */
  stop(): Promise<void>;
}

const PAUSE_MS = 50;

export function startWriters(journal: Journal, merchants: readonly string[], count: number): Writers {
  const written: Written = { told: [], uncertain: 0, faults: [] };
  let stopped = false;
  const write = async (merchantId = "") => {
    while (!stopped) await charge(journal, merchantId, written);
  };
  const all = Array.from({ length: count }, (_, nth) => write(merchants[nth % merchants.length]));
  return {
    written,
    stop: async () => {
      stopped = true;
      await Promise.all(all);
    },
  };
}

async function charge(journal: Journal, merchantId: string, written: Written): Promise<void> {
  const charged = intent(merchantId, new Date());
  try {
    await journal.open(charged, claim(uuidv7()));
    await journal.conclude(conclusion(charged, charged.events[0], approved(new Date())));
    written.told.push({ merchantId, id: charged.id });
  } catch (fault) {
    if (fault instanceof JournalUncertain || fault instanceof JournalUnavailable) written.uncertain++;
    else written.faults.push(fault);
    await sleep(PAUSE_MS);
  }
}
