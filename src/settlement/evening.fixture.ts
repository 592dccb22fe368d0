// The time of capture for tests: nodes in memory with their open authorizations, at noon of the first day.

import { type Installation, idOf, installation, inWords, type Node, record } from "../../test/gateway-in-memory.ts";
import { type MemoryOpenAuthorizations, memoryOpenAuthorizations } from "../../test/memory-open-authorizations.ts";
import type { OpenAuthorizations } from "../journal/auto-capture-rows.ts";
import type { Journal } from "../journal/journal.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { nextAfter } from "../payment/settlement.ts";
import { captureWhatIsDue } from "./auto-capture.ts";

export interface EveningNode extends Node {
  readonly open: OpenAuthorizations;
  authorize(given?: Parameters<Node["charge"]>[0]): Promise<string>;
  /** In words, oldest event first. */
  events(id: string): Promise<string[]>;
  capture(stopping?: AbortSignal): Promise<void>;
}

export interface Evening extends Installation {
  readonly open: MemoryOpenAuthorizations;
  node(
    around?: (journal: Journal) => Journal,
    aroundOpen?: (open: OpenAuthorizations) => OpenAuthorizations,
  ): EveningNode;
}

export const cad = (given: Partial<ProcessorRecord> = {}) => record({ currency: "CAD", ...given });

export function evening(
  records: readonly ProcessorRecord[] = [cad()],
  asker?: Parameters<typeof installation>[1],
): Evening {
  const whole = installation(records, asker);
  const open = memoryOpenAuthorizations();
  for (const { merchantId, id: processorId, schedule } of records) {
    const time = schedule.auto_capture_at;
    open.setCaptureTime({ merchantId, processorId }, time === null ? null : nextAfter(whole.clock.now(), time));
  }
  return {
    ...whole,
    open,
    node: (around = (journal) => journal, aroundOpen = (one) => one) => {
      const joined = whole.join((journal) => around(open.around(journal)));
      const mine = aroundOpen(open.join(joined.parts.journal.find));
      return {
        ...joined,
        open: mine,
        authorize: async (given = {}) => idOf(await joined.charge({ type: "auth", ...given })),
        events: async (id) => inWords(await joined.find(id)),
        capture: (stopping) => captureWhatIsDue(joined.parts, mine, stopping),
      };
    },
  };
}
