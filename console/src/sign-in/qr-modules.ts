// The dark modules of a QR code as one path, a stroke for each run of a row. Pure.

import encodeQR from "qr";

export interface Modules {
  /** Of each side, with the margin that readers want. */
  readonly size: number;
  readonly path: string;
}

const MARGIN = 4;

export function modulesOf(text: string): Modules {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: MARGIN });
  return { size: rows.length, path: rows.map((row, y) => runsOf(row, y)).join("") };
}

function runsOf(row: readonly boolean[], y: number): string {
  const begins = row.flatMap((dark, x) => (dark && !row[x - 1] ? [x] : []));
  return begins
    .map((x) => {
      const end = row.indexOf(false, x);
      const width = (end < 0 ? row.length : end) - x;
      return `M${x} ${y}h${width}v1h-${width}z`;
    })
    .join("");
}
