// Counters and histograms whose series are found once and then only added to. The client library looks its labels up and checks them at
// each addition, and a sale adds some fifteen times. It reads these like its own, when Prometheus asks.

import type { Metric, Registry } from "prom-client";
import type { Labels } from "./series.ts";

export interface Counting {
  add(): void;
}

export interface Observing {
  observe(value: number): void;
}

interface Named {
  readonly name: string;
  readonly help: string;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Registers it. @returns finds a series by its labels, or makes it */
export const counter = (register: Registry, named: Named): ((labels: Labels) => Counting) =>
  registered(register, "counter", named, (labels) => new Count(named.name, labels));

/** Registers it. @param bounds of its buckets, upwards */
export const histogram = (
  register: Registry,
  named: Named,
  bounds: readonly number[],
): ((labels: Labels) => Observing) =>
  registered(register, "histogram", named, (labels) => new Distribution(named.name, labels, bounds));

function registered<Series extends { values(): readonly Value[] }>(
  register: Registry,
  type: "counter" | "histogram",
  { name, help }: Named,
  make: (labels: Labels) => Series,
): (labels: Labels) => Series {
  const known = new Map<string, Series>();
  const get = async () => ({
    ...{ name, help, type, aggregator: "sum" },
    values: [...known.values()].flatMap((series) => series.values()),
  });
  // What the registry asks of a metric is its name and what it holds.
  register.registerMetric({ name, get } as unknown as Metric);
  return (labels) => {
    const key = JSON.stringify(labels);
    const series = known.get(key) ?? make(labels);
    known.set(key, series);
    return series;
  };
}

class Count implements Counting {
  readonly #name: string;
  readonly #labels: Labels;
  #count = 0;

  constructor(name: string, labels: Labels) {
    this.#name = name;
    this.#labels = labels;
  }

  add(): void {
    this.#count++;
  }

  values(): readonly Value[] {
    return [{ metricName: this.#name, labels: this.#labels, value: this.#count }];
  }
}

class Distribution implements Observing {
  readonly #name: string;
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  /** Of each bucket alone; the last is what is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  values(): readonly Value[] {
    const [name, labels] = [this.#name, this.#labels];
    let count = 0;
    const buckets = [...this.#bounds, "+Inf"].map((le, bucket) => {
      count += this.#counts[bucket] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
