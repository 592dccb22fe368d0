// A figure with the target that it is judged by, and how it compares with the last kept one.

export interface Figure {
  readonly what: string;
  /** Medians over the rounds. */
  readonly value: number;
  readonly unit: string;
  /** What is wished for: `least` of rates, `most` of times. */
  readonly target?: { readonly least: number } | { readonly most: number };
  /** Which way is better, where there is no target. */
  readonly better: "more" | "less";
}

/** Undefined without a target. */
export function met({ value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return "least" in target ? value >= target.least : value <= target.most;
}

/** Rounds on one machine differ by less than this. */
const NOTICEABLE = 0.1;

export interface Change {
  readonly what: string;
  readonly before: number;
  readonly now: number;
  /** 0.2: a fifth worse than it was. */
  readonly worseBy: number;
}

/** @returns what got noticeably worse, the worst first */
export function worse(before: readonly Figure[], now: readonly Figure[]): readonly Change[] {
  const earlier = new Map(before.map(({ what, value }) => [what, value]));
  return now
    .flatMap(({ what, value, better }) => {
      const was = earlier.get(what);
      if (was === undefined || was <= 0 || value <= 0) return [];
      const worseBy = better === "more" ? was / value - 1 : value / was - 1;
      return worseBy > NOTICEABLE ? [{ what, before: was, now: value, worseBy }] : [];
    })
    .sort((a, b) => b.worseBy - a.worseBy);
}

/** @param was the last time */
export function lineOf(figure: Figure, was?: number): string {
  const { what, value, unit, target } = figure;
  const judged = met(figure);
  const word = judged === undefined ? "      " : judged ? "met   " : "MISSED";
  const wished = target === undefined ? "" : "least" in target ? `at least ${target.least}` : `at most ${target.most}`;
  const before = was === undefined ? "" : `was ${shown(was)}`;
  const line = `  ${word}  ${what.padEnd(58)} ${shown(value).padStart(9)} ${unit.padEnd(5)} ${wished.padEnd(14)} ${before}`;
  return line.trimEnd();
}

/** With a decimal where it matters. */
export const shown = (value: number): string => value.toFixed(Math.abs(value) < 100 ? 1 : 0);
