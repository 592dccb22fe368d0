// What a kind of processor is: its name, the settings that a record of it takes, and how it is opened. kinds.ts lists the
// kinds; processor.ts says what an open processor does.

import { type TObject, Type } from "typebox";
import { Errors } from "typebox/value";
import type { Clock } from "../clock.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { BookingsReader } from "./bookings.ts";
import type { BooksReader } from "./books.ts";
import type { MessageReader } from "./message-reader.ts";
import type { Processor } from "./processor.ts";
import type { SettlementReportReader } from "./settlement-report.ts";
import type { TraceNumbers } from "./trace-numbers.ts";

export interface KindDescription {
  /** As in a record's `kind`. */
  readonly name: string;
  /** Of a record's `settings`. It takes no unknown setting, and says of each one what it does. */
  readonly settingsSchema: TObject;
  /** The names of the settings that are taken and never shown again. */
  readonly secretSettings: readonly string[];
  /** The name of the setting, true or false, by which a record has card numbers kept sealed. */
  readonly cardNumberSetting?: string;
  /** Whether a record of it can be in this currency (ISO 4217). */
  takesCurrency(currency: string): boolean;
}

export interface ProcessorKind extends KindDescription {
  /** For kinds whose processors give out their books of a day, which a reconciliation compares with the journal. */
  readonly books?: BooksReader;
  /** For kinds whose processors report what they have settled, which a reconciliation compares with the journal. */
  readonly report?: SettlementReportReader;
  /** For kinds whose processors say what was done, so that a database that has lost some of it can be brought up to date. */
  readonly bookings?: BookingsReader;
  /** For kinds whose messages a person may want to read. */
  readonly messages?: MessageReader;
  /** Asks and connects nothing yet. Throws a TypeError when the settings do not fit the schema. */
  open(record: ProcessorRecord, parts: ProcessorParts): Processor;
}

/** By the kind's name. */
export type ProcessorKinds = ReadonlyMap<string, ProcessorKind>;

/** What an open processor takes from the process that it runs in. */
export interface ProcessorParts {
  readonly clock: Clock;
  readonly log: ProcessorLog;
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
  readonly traceNumbersOf: (record: ProcessorRecord) => TraceNumbers;
}

/** Facts are numbers and short words of ours; never a field of a message but its type, its number and its code. */
export interface ProcessorLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

/** Decisions, section 10: every record takes a `timeout_ms`, and this is what holds without one. */
export const DEFAULT_TIMEOUT_MS = 20_000;

/** For the settings schema of every kind: the gateway's deadline for one question. */
export const TIMEOUT_MS_SETTING = Type.Integer({
  minimum: 100,
  maximum: 120_000,
  default: DEFAULT_TIMEOUT_MS,
  description: "Milliseconds that the gateway waits for an answer; a charge without one by then is reversed",
});

/**
 * For `open`: the settings of a record, which were checked when the operator sent them, by a kind that may have changed
 * since. Throws a TypeError that names every wrong setting, without its value, which may be a secret.
 */
export function assertSettings(kind: KindDescription, { id, settings }: ProcessorRecord): void {
  const problems = Errors(kind.settingsSchema, settings).flatMap(({ keyword, instancePath, message }) => {
    const setting = instancePath.slice(1).replaceAll("/", ".");
    // An unknown setting is told twice: as one that none may be ("boolean"), and with all others like it.
    if (keyword === "additionalProperties") return [];
    return [`${setting} ${keyword === "boolean" ? "is unknown" : message}`];
  });
  if (problems.length > 0) throw new TypeError(`Settings of processor ${id} (${kind.name}): ${problems.join("; ")}.`);
}
