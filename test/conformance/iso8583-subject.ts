// The ISO 8583 processor with an acquirer host of its own, on loopback, in each condition of the suite.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Host, type HostOptions, startHost } from "../../acquirer/host.ts";
import type { Rule } from "../../acquirer/misbehaviour.ts";
import { systemClock } from "../../src/clock.ts";
import { defaultTerms } from "../../src/payment/account-terms.ts";
import { ofMinorUnits } from "../../src/payment/currency.ts";
import type { Amount } from "../../src/payment/money.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { defaultSchedule } from "../../src/payment/settlement.ts";
import { type Dialect, writtenAs } from "../../src/processors/iso8583/codec/dialect.ts";
import { STANDARD } from "../../src/processors/iso8583/dialect/standard.ts";
import { iso8583In, iso8583Kind } from "../../src/processors/iso8583/iso8583.ts";
import { processorParts } from "./processor-parts.ts";
import {
  AT_ONCE,
  type Condition,
  type LaterCondition,
  NO_DISPUTES,
  NOTHING_BY_ITSELF,
  type Open,
  SLOW_MS,
} from "./subject.ts";

/** How host and record agree to write their messages. */
export interface Writing {
  readonly framing: "binary-2" | "binary-4" | "ascii-4";
  readonly digits: "ascii" | "bcd";
  readonly bitmap: "hex" | "binary";
}

const RULES: Readonly<Record<Exclude<Condition, LaterCondition>, Rule | null>> = {
  answers: null,
  slow: { what: "delay", ms: SLOW_MS },
  "never answers": { what: "drop-after" },
  "never answers charges": { what: "drop-after", on: ["sale", "auth"] },
  "refuses connections": null,
  "CAD account": null,
};

/** What issuers, switches and hosts say: no, not now, already done, never heard of it. */
export const TURNED_AWAY: readonly string[] = [
  "05",
  "06",
  "12",
  "13",
  "19",
  "21",
  "25",
  "30",
  "51",
  "91",
  "92",
  "94",
  "96",
  "A1",
];

/** Of the kind, with numbers in memory. */
export const openProcessor = (record: ProcessorRecord, kind = iso8583Kind) => kind.open(record, processorParts());

export const testRecord = (settings: ProcessorRecord["settings"], currency = "USD"): ProcessorRecord => ({
  id: "019e2f3a-0000-7000-8000-000000000003",
  merchantId: "019e2f3a-0000-7000-8000-000000000002",
  name: "acquirer under test",
  kind: "iso8583",
  currency,
  enabled: true,
  inRotation: true,
  requires: { cvv: [], names: false, document: false },
  terms: defaultTerms(currency),
  schedule: defaultSchedule(currency),
  settings,
});

export const testSettings = (port: number, writing: Writing) => ({
  host: "127.0.0.1",
  port,
  ...writing,
  terminal_id: "TERM01",
  merchant_id: "MERCHANT1",
  acquirer_id: "123456",
  merchant_name: "Test Shop",
  merchant_city: "Montreal",
  merchant_country: "CA",
  result_letters: "simulator",
  partial_void: true,
  multiple_captures: true,
  refund_before_settlement: true,
});

/** A host in a folder that is gone with it. */
export async function testHost(
  writing: Writing,
  options: Partial<HostOptions> = {},
): Promise<Host & { readonly folder: string }> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "acquirer-")));
  const [encoding, bytes] = writing.framing.split("-");
  const host = await startHost({
    folder,
    address: "127.0.0.1",
    port: 0,
    framing: { encoding: encoding === "ascii" ? "ascii" : "binary", bytes: bytes === "4" ? 4 : 2 },
    dialect: writtenAs(STANDARD, writing),
    tls: null,
    lateMs: 1_000,
    settleAt: "02:00",
    log: () => {},
    crash: () => {
      throw new Error("a host in this process does not crash");
    },
    ...options,
  });
  return {
    ...host,
    folder,
    stop: async () => {
      await host.stop();
      if (options.folder === undefined) await rm(folder, { recursive: true });
    },
  };
}

interface IsoGiven {
  readonly currency?: string;
  readonly dialect?: Dialect;
  /** How repeats are turned away: response codes. */
  readonly ways?: readonly string[];
}

export const iso8583Subject =
  (
    writing: Writing,
    connections: number,
    { currency: ordinary = "USD", dialect = STANDARD, ways = ["05", "94", "96"] }: IsoGiven = {},
  ): Open =>
  async (condition) => {
    if (condition === "accepts" || condition === "answers inquiries only") return AT_ONCE;
    const host = await testHost(writing, { dialect: writtenAs(dialect, writing) });
    const rule = RULES[condition];
    if (rule) host.misbehave(rule);
    const refuses = condition === "refuses connections";
    if (refuses) await host.stop();
    const currency = condition === "CAD account" ? "CAD" : ordinary;
    const record = testRecord({ ...testSettings(host.port, writing), connections }, currency);
    const processor = openProcessor(record, iso8583In(dialect, "iso8583"));
    // What is tried is not the sign-on: short deadlines begin once it is done.
    if (!refuses) await processor.health(AbortSignal.timeout(5_000));
    return {
      processor,
      clock: systemClock,
      currency,
      approvedCard: { number: "4111111111111111", cvv: "973" },
      declinedCard: { number: "4000000000000002", cvv: "973", code: "05" },
      balance: async (transactionId) => inHundredths(host.books.balance(transactionId), currency),
      settle: () => host.settle(),
      repeats: {
        ways,
        lose: (type, first) =>
          host.misbehave({ what: first === "never came" ? "drop-before" : "drop-after", on: [type], times: 1 }),
        breakOff: { cannot: "it repeats nothing by itself" },
        turnAway: (code) => host.misbehave({ what: "decline-repeats", code }),
        behave: () => host.behave(),
      },
      later: AT_ONCE,
      disputes: NO_DISPUTES,
      byItself: NOTHING_BY_ITSELF,
      end: async () => {
        await processor.close();
        if (!refuses) await host.stop();
      },
    };
  };

function inHundredths(minor: bigint, currency: string): Amount {
  const amount = ofMinorUnits(minor, currency);
  if (amount === undefined)
    throw new Error(`the books have ${minor} minor units of ${currency}, and no gateway said so`);
  return amount;
}
