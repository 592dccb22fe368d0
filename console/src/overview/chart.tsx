// One chart with its title and figures: those of the whole period, or of the step that the pointer or the arrow keys are at.

import { Text, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Panel } from "../parts/parts.tsx";
import classes from "./overview.module.css";
import { type Drawing, plot, resize } from "./plot.ts";

interface ChartProps {
  readonly title: string;
  readonly drawing: Drawing;
  /** What the whole period came to, in words. */
  readonly whole: string;
  /** What a step came to. */
  readonly said: (index: number) => string;
}

export function Chart({ title, drawing, whole, said }: ChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { place, point } = usePlot(drawing, setPointed);
  const last = Math.max(0, drawing.names.length - 1);
  const index = pointed === null || pointed > last ? null : pointed;
  return (
    <Panel title={title} aside={drawing.series.length > 1 && <Legend drawing={drawing} />}>
      <Text size="sm" c="dimmed" className={`${classes.said} figures`}>
        {index === null ? whole : said(index)}
      </Text>
      <div className={classes.chart}>
        <VisuallyHidden>
          <input
            type="range"
            aria-label={`${title}, step by step`}
            aria-valuetext={said(index ?? last)}
            max={last}
            value={index ?? last}
            onChange={(event) => point(Number(event.currentTarget.value))}
            onFocus={() => point(index ?? last)}
            onBlur={() => point(null)}
          />
        </VisuallyHidden>
        <div ref={place} className={classes.plot} aria-hidden="true" />
      </div>
    </Panel>
  );
}

/** From the bottom of a bar to its top. */
const Legend = ({ drawing: { series } }: { readonly drawing: Drawing }) => (
  <ul className={classes.legend}>
    {series.toReversed().map(({ name, colour }) => (
      <li key={name}>
        <i style={{ background: `var(${colour})` }} aria-hidden="true" /> {name}
      </li>
    ))}
  </ul>
);

function usePlot(drawing: Drawing, setPointed: (index: number | null) => void) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<uPlot>(null);
  useEffect(() => {
    const within = place.current;
    if (within === null) return;
    const chart = plot(within, drawing, setPointed);
    shown.current = chart;
    const sizes = new ResizeObserver(() => resize(chart, within.clientWidth));
    sizes.observe(within);
    return () => {
      sizes.disconnect();
      chart.destroy();
    };
  }, [drawing, setPointed]);
  const point = (index: number | null) => {
    const chart = shown.current;
    chart?.setCursor(index === null ? { left: -10, top: -10 } : { left: chart.valToPos(index, "x"), top: 1 });
  };
  return { place, point };
}
