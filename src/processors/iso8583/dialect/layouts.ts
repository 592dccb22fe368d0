// How long each field of ISO 8583:1987 is (section 4.3, and its usual reading for the fields that it leaves to private use): enough to skip
// those that are not read. A host that writes one of them in another way is told by the record's setting `field_layouts`.

import type { Layout } from "../codec/dialect.ts";

const n = (length: number): Layout => ({ content: "n", rule: "fixed", length });
const text = (length: number): Layout => ({ content: "ans", rule: "fixed", length });
const amountWithSign = (length: number): Layout => ({ content: "x+n", rule: "fixed", length });
const BITS_64: Layout = { content: "b", rule: "fixed", length: 8 };
const nUpTo = (length: number): Layout => ({ content: "n", rule: "llvar", length });
const upTo = (length: number): Layout => ({ content: "ans", rule: length > 99 ? "lllvar" : "llvar", length });

const of = (from: number, to: number, layout: Layout): Readonly<Record<number, Layout>> =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, layout]));

/** Fields 2 to 128, without 65: it says that a third bitmap follows, whose fields nobody has named. */
export const LAYOUTS: Readonly<Record<number, Layout>> = {
  2: nUpTo(19),
  3: n(6),
  ...of(4, 6, n(12)),
  7: n(10),
  ...of(8, 10, n(8)),
  ...of(11, 12, n(6)),
  ...of(13, 18, n(4)),
  ...of(19, 24, n(3)),
  ...of(25, 26, n(2)),
  27: n(1),
  ...of(28, 31, amountWithSign(8)),
  ...of(32, 33, nUpTo(11)),
  34: upTo(28),
  35: upTo(37),
  36: upTo(104),
  37: text(12),
  38: text(6),
  39: text(2),
  40: text(3),
  41: text(8),
  42: text(15),
  43: text(40),
  44: upTo(25),
  45: upTo(76),
  ...of(46, 48, upTo(999)),
  ...of(49, 51, n(3)),
  52: BITS_64,
  53: n(16),
  54: upTo(120),
  ...of(55, 63, upTo(999)),
  64: BITS_64,
  66: n(1),
  67: n(2),
  ...of(68, 70, n(3)),
  ...of(71, 72, n(4)),
  73: n(6),
  ...of(74, 81, n(10)),
  ...of(82, 85, n(12)),
  ...of(86, 89, n(16)),
  90: n(42),
  91: text(1),
  92: text(2),
  93: text(5),
  94: text(7),
  95: text(42),
  96: BITS_64,
  97: amountWithSign(16),
  98: text(25),
  ...of(99, 100, nUpTo(11)),
  101: upTo(17),
  ...of(102, 103, upTo(28)),
  104: upTo(100),
  ...of(105, 127, upTo(999)),
  128: BITS_64,
};
