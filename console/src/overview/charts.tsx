// The period as charts: volume, charges by what became of them, and approval rate over time, with one pointer on all. The same figures
// stand below as a table. A part of its own, since the library that draws is not needed to show the page.

import { useComputedColorScheme } from "@mantine/core";
import { Fragment, useMemo } from "react";
import type { Overview } from "../../../packages/client/src/openapi.ts";
import { decimalOf, grouped } from "../words/money.ts";
import { Chart } from "./chart.tsx";
import classes from "./overview.module.css";
import type { Drawing } from "./plot.ts";
import { PointTable } from "./point-table.tsx";
import { nameOf, type Point, pointsOf, shortNameOf } from "./series.ts";
import { counted, percent } from "./words.ts";

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function Charts({ overview }: { readonly overview: Overview }) {
  const { step, currency, charges } = overview;
  // A chart takes its colours when it is drawn.
  const scheme = useComputedColorScheme();
  const points = useMemo(() => pointsOf(overview), [overview]);
  const drawings = useMemo(() => drawingsOf(points, step), [points, step]);
  const at = (words: (point: Point) => string) => (index: number) => {
    const point = points[index];
    return point === undefined ? "" : `${nameOf(point.at, step)}: ${words(point)}`;
  };
  const money = (hundredths: number) => `${grouped(decimalOf(hundredths), currency)} ${currency}`;
  const outcomes = ({ approved, declined, unknown }: Pick<Point, "approved" | "declined" | "unknown">) =>
    `${approved.toLocaleString("en")} approved, ${declined.toLocaleString("en")} declined${unknown > 0 ? `, ${unknown} in doubt` : ""}`;
  return (
    <Fragment key={scheme}>
      <Chart
        title="Volume"
        drawing={drawings.volume}
        whole={`${grouped(charges.amount, currency)} ${currency} approved`}
        said={at(({ hundredths, approved }) => `${money(hundredths)}, ${counted(approved, "charge")}`)}
      />
      <div className={classes.halves}>
        <Chart title="Charges" drawing={drawings.charges} whole={outcomes(charges)} said={at(outcomes)} />
        <Chart
          title="Approval rate"
          drawing={drawings.rate}
          whole={`${percent(charges.approval_rate)} of what was decided`}
          said={at(({ rate }) => percent(rate))}
        />
      </div>
      <PointTable points={points} step={step} currency={currency} />
    </Fragment>
  );
}

type Drawings = Readonly<Record<"volume" | "charges" | "rate", Drawing>>;

function drawingsOf(points: readonly Point[], step: Overview["step"]): Drawings {
  const names = points.map(({ at }) => shortNameOf(at, step));
  const each = (figure: (point: Point) => number | null) => points.map(figure);
  return {
    volume: {
      ...{ kind: "bars", names, scale: (hundredths) => COMPACT.format(hundredths / 100) },
      series: [{ name: "Approved", colour: "--money-kept", values: each(({ hundredths }) => hundredths) }],
    },
    charges: {
      ...{ kind: "bars", names, scale: (count) => COMPACT.format(count) },
      series: [
        { name: "In doubt", colour: "--money-refunded", values: each(({ count }) => count) },
        { name: "Declined", colour: "--declined", values: each(({ approved, declined }) => approved + declined) },
        { name: "Approved", colour: "--money-kept", values: each(({ approved }) => approved) },
      ],
    },
    rate: {
      ...{ kind: "line", names, scale: (rate) => `${rate} %`, most: 100 },
      series: [
        {
          name: "Approval rate",
          colour: "--money-kept",
          values: each(({ rate }) => (rate === null ? null : 100 * rate)),
        },
      ],
    },
  };
}
