// Where a month's records are kept: as a simulated house, with what waits to be captured by itself, the operator's changes
// of schedules, and the operator's view of batches where there is a database.

import type { OpenAuthorizations } from "../../src/journal/auto-capture-rows.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { memoryOpenAuthorizations } from "../memory-open-authorizations.ts";
import { type House, type HouseNode, memoryHouse } from "../simulation/house.ts";
import type { Mirrored } from "../simulation/mirror.ts";
import { timeFrom } from "../simulation/money.ts";

type Schedule = ProcessorRecord["schedule"];

export interface MonthHouse extends House {
  openOf(node: HouseNode): OpenAuthorizations;
  /** The leases of a node that was killed end. */
  letGo(): Promise<void>;
  enrol(records: readonly ProcessorRecord[]): Promise<void>;
  /** As the operator does. */
  reschedule(record: ProcessorRecord, schedule: Schedule): Promise<void>;
  /**
   * The operator's batches are those of the model.
   * @param ids as events show them, by record and cut-off @param most so many of the newest are read whole
   */
  checkBatches(mirrors: readonly Mirrored[], ids: ReadonlyMap<string, string>, most: number): Promise<void>;
}

export function memoryMonthHouse(): MonthHouse {
  const house = memoryHouse();
  const open = memoryOpenAuthorizations();
  const setTime = ({ merchantId, id: processorId }: ProcessorRecord, time: string | null): void => {
    const now = house.clock.now().getTime();
    open.setCaptureTime({ merchantId, processorId }, time === null ? null : new Date(timeFrom(now + 1, time)));
  };
  return {
    ...house,
    join: async () => {
      const node = await house.join();
      return { ...node, journal: open.around(node.journal) };
    },
    openOf: ({ journal }) => open.join(journal.find),
    letGo: async () => open.letGo(),
    enrol: async (records) => {
      for (const record of records) setTime(record, record.schedule.auto_capture_at);
    },
    reschedule: async (record, { auto_capture_at: time }) => {
      if (time !== record.schedule.auto_capture_at) setTime(record, time);
    },
    checkBatches: async () => undefined,
  };
}
