// Which operation on record each line of a report is about. A line names an event of ours, and often the processor's own name for what it did.
// What a processor made by itself is known by that name alone, and stands in a report under the charge, or under the event that it made
// again. Pure.

import { nameAgain, takenBackName } from "../../payment/made-by-processor.ts";
import { nameOf } from "../../payment/told-operations.ts";
import { isChargeType } from "../../payment/transaction.ts";
import type { Operation } from "./operations.ts";
import type { OurLine } from "./report-finding.ts";

/** A line that is not in it names no operation on record. */
export function operationsNamed(
  lines: readonly OurLine[],
  operations: readonly Operation[],
): ReadonlyMap<OurLine, Operation> {
  const named = new Map<OurLine, Operation>();
  const alike = Map.groupBy(lines, ({ kind, about, operation }) => `${kind} ${about.eventId} ${operation ?? ""}`);
  for (const some of alike.values()) {
    const [first] = some;
    const candidates = first === undefined ? [] : candidatesFor(first, operations);
    // What was made again under the same name has failed before: the older one moved in an earlier report, if not in this one.
    const moves = first?.kind === "captured" || first?.kind === "refunded";
    const from = moves ? Math.max(candidates.length - some.length, 0) : 0;
    for (const [index, line] of some.entries()) {
      const one = candidates[from + index] ?? candidates.at(-1);
      if (one !== undefined) named.set(line, one);
    }
  }
  return named;
}

/** Oldest first. */
function candidatesFor(line: OurLine, operations: readonly Operation[]): readonly Operation[] {
  const { kind, about, operation, payment } = line;
  const own = operations.find(({ eventId }) => eventId === about.eventId);
  const byItself = operations.filter(({ byProcessor }) => operation !== undefined && isCalled(byProcessor, operation));
  if (byItself.length > 0) return byItself;
  const names = [undefined, operation, payment].flatMap((name) =>
    [false, true].map((again) => nameOf(about.eventId, name, again)),
  );
  const added = operations.filter(({ byProcessor }) => byProcessor !== undefined && names.includes(byProcessor));
  if (added.length > 0) return own !== undefined && mayBe(own, operation) ? [own, ...added] : added;
  if (kind === "refunded" && own !== undefined && isChargeType(own.type)) {
    const takenBack = operations.find(({ byProcessor }) => isCalled(byProcessor, takenBackName(own.eventId)));
    if (takenBack !== undefined) return [takenBack];
  }
  return own === undefined ? [] : [own];
}

const isCalled = (name: string | undefined, operation: string): boolean =>
  name === operation || name === nameAgain(operation) || name?.startsWith(`${operation} #`) === true;

/** What did not move money in the processor's own words has none in a report. */
function mayBe({ type, outcome, processorName }: Operation, operation: string | undefined): boolean {
  if (outcome === "declined" || outcome === "already-settled" || outcome === "not-sent") return false;
  // A charge is named by its payment, and its line by the capture.
  return isChargeType(type) || processorName === undefined || processorName === operation;
}
