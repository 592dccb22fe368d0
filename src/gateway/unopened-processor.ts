// What stands for a processor whose record cannot be opened: the master key of its secrets is not given, its row was changed, or
// a newer version wrote it. Nothing is sent for it, so that nothing is in doubt; the other records of the merchant go on.

import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { KindDescription } from "../processors/kind.ts";
import type { NoAnswer, Processor } from "../processors/processor.ts";

/** Answers every question with `not-sent`. @param kind undefined: nobody here knows it */
export function unopenedProcessor(
  kind: Pick<KindDescription, "cardNumberSetting"> | undefined,
  { settings }: Pick<ProcessorRecord, "settings">,
  why: string,
): Processor {
  const cardNumberSetting = kind?.cardNumberSetting;
  const notSent = async (): Promise<NoAnswer> => ({ kind: "not-sent", why });
  return {
    // All of them: nothing is refused that the processor may be able to do.
    capabilities: { partialVoid: true, multipleCaptures: true, refundBeforeSettlement: true },
    keepsCardNumber: cardNumberSetting !== undefined && settings[cardNumberSetting] === true,
    requires: { cvv: [], names: false, document: false },
    takes: () => true,
    cannotExpress: () => [],
    charge: notSent,
    followUp: notSent,
    timeoutReversal: notSent,
    // Whether it keeps cards is not known either.
    describeToken: notSent,
    verify: notSent,
    // A message that cannot be verified is not taken, and comes again.
    receive: () => Promise.reject(new Error(why)),
    health: async () => ({ reachable: false, detail: why }),
    close: async () => undefined,
  };
}
