// A gateway's message as the host reads it: one operation, of one terminal, under one RRN.

import { type Dialect, isWhole } from "../src/processors/iso8583/codec/dialect.ts";
import type { Message } from "../src/processors/iso8583/codec/message.ts";
import { parseTagged } from "../src/processors/iso8583/codec/tagged.ts";

export const OPERATIONS = ["sale", "auth", "capture", "void", "refund", "reversal"] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Question {
  readonly operation: Operation;
  readonly terminal: string;
  readonly merchant: string;
  readonly rrn: string;
  readonly stan: string;
  /** In the currency's minor unit. */
  readonly amount: bigint;
  /** An authorization of nothing: the card is verified. */
  readonly verifies: boolean;
  /** ISO 4217, numeric. */
  readonly currency: string;
  /** Of a charge only; YYMM. */
  readonly card: { readonly number: string; readonly expiry: string } | null;
  /** Of a charge of a stored card: tag SC; an answer to it has the scheme's identifier. */
  readonly storedCard: string | null;
  /** Of a follow-up or a reversal that names the card of its charge. */
  readonly followedCard: string | null;
  /** RRN of the charge that this follows; of a reversal its own. */
  readonly originalRrn: string | null;
  /** Four digits, 0000 where the gateway did not know it any more. */
  readonly originalMti: string | null;
  readonly authCode: string | null;
  /** The gateway's identifier of the transaction, if it gave one. */
  readonly transaction: string;
  /** Field 7: MMDDhhmmss. */
  readonly transmitted: string;
  tag(tag: string): string | undefined;
}

/** Undefined: not a question about money, or without what it must have. */
export function readQuestion(message: Message, dialect: Dialect): Question | undefined {
  const operation = operationOf(message);
  if (operation === undefined || !isWhole(dialect, message)) return undefined;
  const of = (field: number) => message.get(field) ?? "";
  const tagged = parseTagged(of(dialect.privateData), dialect, dialect.privateData);
  const tagOf = (wanted: string) => tagged.find(([tag]) => tag === wanted)?.[1];
  const number = message.get(2);
  const charge = operation === "sale" || operation === "auth";
  if (charge && (number === undefined || !message.has(14))) return undefined;
  return {
    operation,
    terminal: of(41).trimEnd(),
    merchant: of(42).trimEnd(),
    rrn: of(37),
    stan: of(11),
    amount: BigInt(of(4)),
    verifies: operation === "auth" && BigInt(of(4)) === 0n && of(25) === "51",
    currency: of(49),
    card: charge && number !== undefined ? { number, expiry: of(14) } : null,
    storedCard: charge ? (tagOf("SC") ?? null) : null,
    followedCard: charge ? null : (number ?? null),
    originalRrn: charge ? null : operation === "reversal" ? of(37) : (tagOf("OR") ?? null),
    originalMti: message.get(90)?.slice(0, 4) ?? null,
    authCode: message.get(38) ?? null,
    transaction: tagOf("TI") ?? "",
    transmitted: of(7),
    tag: tagOf,
  };
}

function operationOf(message: Message): Operation | undefined {
  switch (message.mti) {
    case "0100":
      return "auth";
    case "0200":
      if (message.get(3) === "200000") return "refund";
      return message.get(3) === "000000" ? "sale" : undefined;
    case "0220":
    case "0221":
      return "capture";
    case "0400":
    case "0401":
      return "void";
    case "0420":
    case "0421":
      return "reversal";
    default:
      return undefined;
  }
}
