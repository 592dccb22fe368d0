// faregate processor check
import type { Command } from "commander";
import type { Clock } from "../clock.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import type { Check, Processor } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";
import { leaf, type Output } from "./command.ts";
import { refuseUnopened } from "./command-secrets.ts";
import { withOffice } from "./office.ts";
import { print, table } from "./print.ts";
import { Refused } from "./refused.ts";

const WRONG = 1;
const DEADLINE_MS = 20_000;

export function checkCommand(records: Command): void {
  leaf(
    records,
    "check <id>",
    "Send a record's processor harmless requests, and say what is wrong with the account. Nothing is charged.",
    "faregate processor check 0193e5b4-…",
  )
    .addHelpText("after", "\nExit codes: 0 nothing is wrong; 1 something is wrong.")
    .action(async (id: string, { json }: Output) => {
      const checks = await withOffice(async ({ sql, clock, secrets }) => {
        const record = isUuid(id) ? await findProcessorRecord(sql, id, secrets) : undefined;
        const kind = record && PROCESSOR_KINDS.get(record.kind);
        if (record === undefined || kind === undefined)
          throw new Refused(`there is no processor ${id}`, { code: "not-found" });
        refuseUnopened(id, record.unopened);
        const processor = kind.open(record, partsFor(clock));
        try {
          return await checksOf(processor, AbortSignal.timeout(DEADLINE_MS));
        } finally {
          await processor.close();
        }
      });
      const rows = checks.map(({ what, result, detail }) => [what, result, detail]);
      print(json, { checks }, () => table(["check", "result", "detail"], rows, "There is nothing to check."));
      if (checks.some(({ result }) => result === "wrong")) process.exitCode = WRONG;
    });
}

/** Of a kind without checks of its own, whether its processor is reached. */
async function checksOf(processor: Processor, signal: AbortSignal): Promise<readonly Check[]> {
  if (processor.check) return processor.check(signal);
  const { reachable, detail } = await processor.health(signal);
  return [{ what: "connection", result: reachable ? "ok" : "wrong", detail }];
}

const noTrace = async (): Promise<never> => {
  throw new Error("a command asks nothing that has a trace number");
};

/** For processors that are opened and charge nothing. */
export const partsFor = (clock: Clock) => ({
  clock,
  log: { info: () => undefined, warn: () => undefined },
  chance: Math.random,
  traceNumbersOf: () => ({ assign: noTrace, find: noTrace }),
});
