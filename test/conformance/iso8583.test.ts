// The ISO 8583 processor passes the suite of the contract, against the acquirer host, however messages are written and
// over however many connections.

import { VARIANT } from "../fixtures/variant-dialect.ts";
import { iso8583Subject, TURNED_AWAY } from "./iso8583-subject.ts";
import { processorConformance } from "./processor.ts";

processorConformance(
  "iso8583 (ASCII digits, binary bitmaps, two bytes of length, one connection)",
  iso8583Subject({ framing: "binary-2", digits: "ascii", bitmap: "binary" }, 1, { ways: TURNED_AWAY }),
);

processorConformance(
  "iso8583 (BCD digits, hexadecimal bitmaps, four digits of length, three connections)",
  iso8583Subject({ framing: "ascii-4", digits: "bcd", bitmap: "hex" }, 3),
);

for (const currency of ["JPY", "KWD"])
  processorConformance(
    `iso8583 (an account in ${currency})`,
    iso8583Subject({ framing: "binary-2", digits: "ascii", bitmap: "binary" }, 1, { currency }),
  );

processorConformance(
  "iso8583 (in an acquirer's own dialect)",
  iso8583Subject({ framing: "binary-2", digits: "bcd", bitmap: "hex" }, 2, { dialect: VARIANT }),
);
