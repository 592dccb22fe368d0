// Series of a metric, one for each set of labels. Their number is bounded, since each takes memory here and in Prometheus for as
// long as both run, and what labels are made of comes from outside: records of processors, and the codes that these answer with.

import { holdsCardNumber } from "../payment/stray-card-number.ts";

export type Labels = Readonly<Record<string, string>>;

/** Of labels that are beyond the bound. */
export const OTHER = "other";

export interface SeriesBounds {
  readonly most: number;
  /** The labels that become `other` in what is beyond it; those that are left have few values. */
  readonly folded: readonly string[];
}

/**
 * @param make a series
 * @returns finds the series by a key that stands for its labels, so that none are made for each request
 */
export function boundedSeries<Series>(
  { most, folded }: SeriesBounds,
  make: (labels: Labels) => Series,
): (key: string, labels: () => Labels) => Series {
  const known = new Map<string, Series>();
  return (key, labels) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= most) return make({ ...labels(), ...Object.fromEntries(folded.map((name) => [name, OTHER])) });
    const series = make(labels());
    known.set(key, series);
    return series;
  };
}

/** A processor's code as a label: what is no code by its form is none of ours to show. */
export const codeLabel = (code: string): string =>
  /^[\w .:-]{1,40}$/.test(code) && !holdsCardNumber(code) ? code : OTHER;
