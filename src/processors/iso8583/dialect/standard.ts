// The dialect that docs/iso8583.md describes, as data: ISO 8583:1987, and a private field 48 of our own. Types, length rules
// and names of fields are those of section 4; the fields that are not used are left out.

import {
  type Content,
  type Dialect,
  type FieldFormat,
  type MessageType,
  PRIVATE_DATA,
  type TagFormat,
} from "../codec/dialect.ts";
import { LAYOUTS } from "./layouts.ts";

const fixed = (content: Content, length: number, name: string): FieldFormat => ({
  content,
  rule: "fixed",
  length,
  name,
});
const upTo = (content: Content, length: number, name: string): FieldFormat => ({
  content,
  rule: length > 99 ? "lllvar" : "llvar",
  length,
  name,
});

const FIELDS = {
  2: { ...upTo("n", 19, "Primary account number"), shown: "mask" },
  3: fixed("n", 6, "Processing code"),
  4: fixed("n", 12, "Amount, in the currency's minor unit (ISO 4217)"),
  7: fixed("n", 10, "Transmission date and time, MMDDhhmmss, UTC"),
  11: fixed("n", 6, "System trace audit number (STAN)"),
  12: fixed("n", 6, "Time at the terminal, hhmmss, UTC"),
  13: fixed("n", 4, "Date at the terminal, MMDD, UTC"),
  14: { ...fixed("n", 4, "Expiry date, YYMM"), shown: "nothing" },
  22: fixed("n", 3, "Point of service entry mode"),
  25: fixed("n", 2, "Point of service condition code"),
  32: upTo("n", 11, "Acquiring institution identification code"),
  37: fixed("an", 12, "Retrieval reference number (RRN)"),
  38: fixed("ans", 6, "Authorization identification response (auth code)"),
  39: fixed("an", 2, "Response code"),
  41: fixed("ans", 8, "Card acceptor terminal identification"),
  42: fixed("ans", 15, "Card acceptor identification code"),
  43: fixed("ans", 40, "Card acceptor name and location"),
  44: upTo("ans", 25, "Additional response data: AVS, CVV and CAVV results"),
  48: upTo("tagged", 999, "Additional data, private"),
  49: fixed("n", 3, "Currency code, ISO 4217 numeric"),
  63: upTo("ans", 999, "Private: the acquirer's transaction identifier"),
  70: fixed("n", 3, "Network management information code"),
  90: fixed("n", 42, "Original data elements"),
  102: { ...upTo("ans", 28, "Account identification 1: the payer's tax number"), shown: "nothing" },
} as const satisfies Readonly<Record<number, FieldFormat>>;

const CARD_ACCEPTOR = [41, 42] as const;
const CHARGE = {
  required: [2, 3, 4, 7, 11, 12, 13, 14, 22, 25, 32, 37, ...CARD_ACCEPTOR, 43, 49],
  optional: [48, 102],
} as const;
const FOLLOW_UP = {
  required: [3, 4, 7, 11, 12, 13, 22, 25, 32, 37, ...CARD_ACCEPTOR, 48, 49, 90],
  optional: [2, 14, 38, 63],
} as const;
const REVERSAL = {
  required: [3, 4, 7, 11, 12, 13, 22, 25, 32, 37, ...CARD_ACCEPTOR, 49, 90],
  optional: [2, 14, 48],
} as const;
const ANSWER = {
  required: [3, 4, 11, 37, 39, 41, 49],
  optional: [7, 12, 13, 32, 38, 42, 44, 48, 63],
  informative: [7, 12, 13, 38, 44, 48, 63],
} as const;
const NETWORK = { required: [7, 11, 70], optional: [] } as const;

const MESSAGE_TYPES = {
  "0100": { name: "Authorization request: an auth", ...CHARGE },
  "0110": { name: "Answer to 0100", ...ANSWER },
  "0200": {
    name: "Financial request: a sale (processing code 000000) or a refund (200000)",
    required: CHARGE.required.filter((field) => field !== 2 && field !== 14 && field !== 43),
    optional: [2, 14, 38, 43, 48, 63, 90, 102],
  },
  "0210": { name: "Answer to 0200", ...ANSWER },
  "0220": { name: "Financial advice: a capture", ...FOLLOW_UP },
  "0221": { name: "Repeat of a 0220", ...FOLLOW_UP },
  "0230": { name: "Answer to 0220 and 0221", ...ANSWER },
  "0400": { name: "Reversal request: a void", ...FOLLOW_UP },
  "0401": { name: "Repeat of a 0400", ...FOLLOW_UP },
  "0410": { name: "Answer to 0400 and 0401", ...ANSWER },
  "0420": { name: "Reversal advice: takes back a charge that was never answered", ...REVERSAL },
  "0421": { name: "Repeat of a 0420", ...REVERSAL },
  "0430": { name: "Answer to 0420 and 0421", ...ANSWER },
  "0800": { name: "Network management: sign-on (001), sign-off (002), echo (301)", ...NETWORK },
  "0810": { name: "Answer to 0800", required: [11, 39, 70], optional: [7], informative: [7] },
} as const satisfies Readonly<Record<string, MessageType>>;

export const TAGS = {
  AN: {
    content: "n",
    least: 1,
    most: 3,
    name: "Airline: how many passengers there are, whether or not all of them fit",
  },
  AP: {
    content: "ans",
    least: 85,
    most: 85,
    repeats: true,
    name: "Airline: a passenger. Name 20, ticket 13, issuing carrier 2 and its name 25, city 18, issued YYMMDD 6, R or space",
  },
  AL: {
    content: "ans",
    least: 46,
    most: 46,
    repeats: true,
    name: "Airline: a leg of the passenger before it. Carrier 2, class 1, from 3, to 3, on YYMMDD 6, flight 4, fare basis 15, fare 12",
  },
  CV: { content: "n", least: 3, most: 4, name: "CVV", shown: "nothing" },
  IP: { content: "ans", least: 2, most: 45, name: "The payer's IP address" },
  MR: { content: "ans", least: 1, most: 64, name: "The merchant's own reference" },
  NT: {
    content: "ans",
    least: 1,
    most: 64,
    name: "The scheme's transaction identifier: in a charge that of the stored card's first charge, in an answer this charge's",
  },
  OR: { content: "an", least: 12, most: 12, name: "RRN of the sale or auth that this message follows" },
  SC: {
    content: "an",
    least: 3,
    most: 3,
    name: "Stored card: who initiates (C the payer, M the merchant), F the first charge or L a later one, why (U, R, I, D, N, A, S, or 0)",
  },
  ST: { content: "ans", least: 1, most: 40, name: "AVS: the payer's street and house number" },
  TI: { content: "ans", least: 1, most: 36, name: "The gateway's transaction identifier" },
  ZP: { content: "ans", least: 1, most: 20, name: "AVS: the payer's postal code" },
  "3C": { content: "ans", least: 4, most: 100, name: "3-D Secure: CAVV, base64" },
  "3E": { content: "n", least: 2, most: 2, name: "3-D Secure: ECI" },
  "3S": { content: "an", least: 1, most: 1, name: "3-D Secure: status, Y, A, N or U" },
  "3V": { content: "n", least: 1, most: 1, name: "3-D Secure: version, 1 or 2" },
  "3X": { content: "ans", least: 4, most: 100, name: "3-D Secure: XID, base64; in version 2 possibly a UUID" },
} as const satisfies Readonly<Record<string, TagFormat>>;

export type Tag = keyof typeof TAGS;

export const STANDARD: Dialect = {
  name: "ISO 8583:1987",
  digits: "ascii",
  bitmap: "binary",
  lengths: "as digits",
  fields: FIELDS,
  layouts: LAYOUTS,
  privateData: PRIVATE_DATA,
  tags: TAGS,
  messageTypes: MESSAGE_TYPES,
};
