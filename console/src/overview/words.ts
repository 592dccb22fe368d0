// Figures of the overview in words. Pure.

/** `1 charge`, `1,200 charges` */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** Of a share from 0 to 1: `70.2 %`. */
export const percent = (rate: number | null): string => (rate === null ? "–" : `${(100 * rate).toFixed(1)} %`);
