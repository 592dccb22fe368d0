// A chart as uPlot draws it: bars over steps, one before the other, or a line. Its colours are those of the page when it is drawn.

import "./language.ts";
import uPlot from "uplot";
import { namedSteps } from "./series.ts";

export interface Series {
  readonly name: string;
  /** A custom property of the page's style, such as `--good`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface Drawing {
  readonly kind: "bars" | "line";
  /** The largest bars first: the others stand before them. */
  readonly series: readonly Series[];
  /** Of the steps, for below. */
  readonly names: readonly string[];
  /** What stands beside a line of the grid. */
  readonly scale: (value: number) => string;
  /** The top, where it is the same whatever the figures are. */
  readonly most?: number;
}

type Pointed = (index: number | null) => void;

const HEIGHT = 190;
/** What a name below the chart needs. */
const NAME_WIDTH = 84;
/** Steps between lines of the grid, in hundredths or charges: half of one is none. */
const STEPS = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** @param pointed hears which step the pointer is at; null: none */
export function plot(place: HTMLElement, drawing: Drawing, pointed: Pointed): uPlot {
  const { names, series } = drawing;
  const steps = names.map((_, index) => index);
  return new uPlot(optionsOf(place, drawing, pointed), [steps, ...series.map(({ values }) => [...values])], place);
}

export const resize = (chart: uPlot, width: number): void => chart.setSize({ width, height: HEIGHT });

function optionsOf(place: HTMLElement, drawing: Drawing, pointed: Pointed): uPlot.Options {
  const { kind, series, names, most } = drawing;
  const style = getComputedStyle(place);
  const colour = (property: string) => style.getPropertyValue(property).trim();
  return {
    ...{ width: place.clientWidth, height: HEIGHT, padding: [10, 6, 0, 0], legend: { show: false } },
    scales: {
      x: { time: false, range: [-0.5, names.length - 0.5] },
      y: { range: (_, __, highest) => [0, most ?? Math.max(1, highest)] },
    },
    axes: axesOf(drawing, colour, `12px ${style.fontFamily}`),
    series: [{}, ...series.map((one) => ({ label: one.name, ...strokes(kind, colour(one.colour)) }))],
    cursor: {
      ...{ y: false, drag: { setScale: false, x: false }, points: { show: kind === "line" } },
      sync: { key: "overview", setSeries: false },
    },
    hooks: { setCursor: [({ cursor }) => pointed(cursor.idx ?? null)] },
  };
}

const strokes = (kind: Drawing["kind"], tone: string): uPlot.Series =>
  kind === "line"
    ? { stroke: tone, width: 2, points: { show: true, size: 6, fill: tone, width: 0 } }
    : {
        ...{ fill: tone, width: 0, points: { show: false } },
        ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.74, 44], radius: 0.1 }) }),
      };

function axesOf({ names, scale }: Drawing, colour: (property: string) => string, font: string): uPlot.Axis[] {
  const words = { stroke: colour("--mantine-color-dimmed"), font, ticks: { show: false } };
  return [
    {
      ...{ ...words, size: 26, gap: 8, grid: { show: false } },
      splits: (chart) => [...namedSteps(names.length, chart.width / NAME_WIDTH)],
      values: (_, splits) => splits.map((index) => names[index] ?? ""),
    },
    {
      ...{ ...words, size: 50, gap: 8, space: 40, incrs: STEPS, grid: { stroke: colour("--line"), width: 1 } },
      values: (_, splits) => splits.map(scale),
    },
  ];
}
