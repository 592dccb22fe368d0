// What field 48 may hold, as data: its tags, each two characters, with the length and the content of its value.

import type { TagFormat } from "../codec/dialect.ts";

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
  OR: { content: "an", least: 12, most: 12, name: "RRN of the sale or auth that this message follows" },
  ST: { content: "ans", least: 1, most: 40, name: "AVS: the payer's street and house number" },
  TI: { content: "ans", least: 1, most: 36, name: "The gateway's transaction identifier" },
  ZP: { content: "ans", least: 1, most: 20, name: "AVS: the payer's postal code" },
  "3C": { content: "ans", least: 4, most: 100, name: "3-D Secure: CAVV, base64" },
  "3E": { content: "n", least: 2, most: 2, name: "3-D Secure: ECI" },
  "3S": { content: "an", least: 1, most: 1, name: "3-D Secure: status, Y, A, N or U" },
  "3V": { content: "n", least: 1, most: 1, name: "3-D Secure: version, 1 or 2" },
  "3X": { content: "ans", least: 4, most: 100, name: "3-D Secure: XID, base64" },
} as const satisfies Readonly<Record<string, TagFormat>>;

export type Tag = keyof typeof TAGS;
