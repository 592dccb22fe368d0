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
  /** The same of a bare server, in the same run; none for what is a share or a ratio itself. */
  readonly bare?: number;
}

/** Times the bare server's, so that hosts of different speed compare; undefined for a figure that has none of a bare server. */
export const ratioOf = ({ value, bare }: Figure): number | undefined => (bare === undefined ? undefined : value / bare);

/** Undefined without a target. */
export function met({ value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return "least" in target ? value >= target.least : value <= target.most;
}

/** Rounds on one machine differ by less than this. */
const NOTICEABLE = 0.1;

/** Both as ratios to the bare server of their run, or, where one of them has none, as they were measured. */
function comparable(before: Figure, now: Figure): readonly [number, number] {
  const [was, is] = [ratioOf(before), ratioOf(now)];
  return was === undefined || is === undefined ? [before.value, now.value] : [was, is];
}

export interface Change {
  readonly what: string;
  readonly before: number;
  readonly now: number;
  /** 0.2: a fifth worse than it was. */
  readonly worseBy: number;
}

/** @returns what got noticeably worse, the worst first */
export function worse(before: readonly Figure[], now: readonly Figure[]): readonly Change[] {
  const earlier = new Map(before.map((figure) => [figure.what, figure]));
  return now
    .flatMap((figure) => {
      const { what, value, better } = figure;
      const found = earlier.get(what);
      if (found === undefined || found.value <= 0 || value <= 0) return [];
      const [was, is] = comparable(found, figure);
      const worseBy = better === "more" ? was / is - 1 : is / was - 1;
      return worseBy > NOTICEABLE ? [{ what, before: found.value, now: value, worseBy }] : [];
    })
    .sort((a, b) => b.worseBy - a.worseBy);
}

/** @param was the last time */
export function lineOf(figure: Figure, was?: number): string {
  const { what, value, unit, target } = figure;
  const judged = met(figure);
  const word = judged === undefined ? "      " : judged ? "met   " : "MISSED";
  const before = was === undefined ? "" : `was ${shown(was)}`;
  const ratio = shownRatio(figure);
  const line = `  ${word}  ${what.padEnd(58)} ${shown(value).padStart(9)} ${unit.padEnd(5)} ${ratio.padStart(8)}  ${wishedOf(target).padEnd(14)} ${before}`;
  return line.trimEnd();
}

const wishedOf = (target: Figure["target"]): string =>
  target === undefined ? "" : "least" in target ? `at least ${target.least}` : `at most ${target.most}`;

/** `3.4×`, times the bare server's; empty without one. */
export function shownRatio(figure: Figure): string {
  const ratio = ratioOf(figure);
  return ratio === undefined ? "" : `${ratio < 1 ? ratio.toPrecision(2) : shown(ratio)}×`;
}

/** As a table of a page; what was met is bold. */
export function tableOf(figures: readonly Figure[]): readonly string[] {
  return [
    "| What | Figure | Times a bare server's | Target |",
    "|---|---|---|---|",
    ...figures.map((figure) => {
      const { what, value, unit, target } = figure;
      const text = `${separated(shown(value))}${unit === "/s" ? unit : ` ${unit}`}`.trim();
      const indent = what.startsWith(" ") ? "– " : "";
      const cells = [indent + what.trim(), met(figure) ? `**${text}**` : text, shownRatio(figure)];
      return `| ${[...cells, separated(wishedOf(target))].join(" | ")} |`;
    }),
  ];
}

/** `1,234.5` */
export const separated = (number: string): string => number.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");

/** With a decimal where it matters. */
export const shown = (value: number): string => value.toFixed(Math.abs(value) < 100 ? 1 : 0);
