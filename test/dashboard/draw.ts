// The dashboard's panels drawn in a browser, where the dashboard has them. Not Grafana's own picture: a gateway's figures as Prometheus
// answers the dashboard's queries, drawn by the console's chart library.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../console/browser.ts";
import { webpOf } from "../pictures/webp.ts";
import type { Panel } from "./panels.ts";

const WIDTH = 1440;
const ROW_PX = 30;
const FOOT_PX = 40;

/** @returns a WebP picture */
export async function drawn(panels: readonly Panel[], from: number, to: number): Promise<Buffer> {
  const browser = await launchBrowser();
  try {
    const rows = Math.max(...panels.map(({ at }) => at.y + at.h));
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: rows * ROW_PX + FOOT_PX },
      locale: "en-US",
    });
    const faults: Error[] = [];
    page.on("pageerror", (fault) => void faults.push(fault));
    await page.setContent(html());
    await page.addScriptTag({ content: source("uplot/dist/uPlot.iife.min.js") });
    await page.addScriptTag({
      content: `(${paint})(${JSON.stringify({ panels, from, to, width: WIDTH, row: ROW_PX })})`,
    });
    if (faults[0] !== undefined) throw faults[0];
    return await webpOf(browser, await page.screenshot());
  } finally {
    await browser.close();
  }
}

const source = (name: string): string => readFileSync(fileURLToPath(import.meta.resolve(name)), "utf8");

const html = () => `<!doctype html><title>Faregate</title><style>
${source("uplot/dist/uPlot.min.css")}
body { margin: 0; font: 12px sans-serif; color: #212529; background: #f4f5f5; }
section { position: absolute; box-sizing: border-box; padding: 6px 8px; background: #fff; border: 4px solid #f4f5f5; overflow: hidden; }
section.row { background: none; font-weight: bold; }
h2 { margin: 0 0 4px; font-size: 12px; } b { font-size: 26px; display: block; padding-top: 14px; }
p { margin: 2px 0 0; font-size: 10px; line-height: 13px; max-height: 39px; overflow: hidden; } i { font-style: normal; margin-right: 8px; }
footer { position: absolute; bottom: 10px; left: 12px; color: #495057; }
</style><footer>The queries of docs/grafana/faregate.json, answered by Prometheus and drawn with uPlot. Grafana draws them in its own way.</footer>`;

/** Runs in the page, where `uPlot` is. */
const paint = `({ panels, from, to, width, row }) => {
  const COLOURS = ["#1971c2", "#2f9e44", "#e8590c", "#9c36b5", "#c2255c", "#0c8599", "#f08c00", "#5f3dc4", "#66a80f", "#868e96"];
  const shown = (unit, value) => {
    if (value === null || value === undefined) return "";
    if (unit === "s") return value >= 10 ? value.toFixed(0) + " s" : value >= 1 ? value.toFixed(1) + " s" : (value * 1000).toFixed(value < 0.01 ? 1 : 0) + " ms";
    if (unit === "percentunit") return (value * 100).toFixed(value < 0.1 ? 1 : 0) + " %";
    if (unit === "bytes") return (value / 1048576).toFixed(0) + " MiB";
    return String(Number(value.toFixed(2))) + (unit === "ops" || unit === "reqps" ? "/s" : "");
  };
  for (const { title, kind, unit, at, series } of panels) {
    const box = document.body.appendChild(document.createElement("section"));
    box.className = kind;
    const px = width / 24;
    Object.assign(box.style, { left: at.x * px + "px", top: at.y * row + "px", width: at.w * px + "px", height: at.h * row + "px" });
    box.appendChild(document.createElement("h2")).textContent = title;
    if (kind === "row") continue;
    if (kind === "stat") {
      const points = series[0] ? series[0].points : [];
      box.appendChild(document.createElement("b")).textContent = points.length ? shown(unit, points[points.length - 1][1]) : "No data";
      continue;
    }
    const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))].sort((a, b) => a - b);
    const data = series.map(({ points }) => { const known = new Map(points); return times.map((time) => known.get(time) ?? null); });
    const size = { width: at.w * px - 24, height: at.h * row - 76 };
    const lines = series.map((_, index) => ({ stroke: COLOURS[index % COLOURS.length], width: 1.5, points: { show: false } }));
    const values = (_, ticks) => ticks.map((tick) => shown(unit, tick));
    const range = (_, least, most) => [0, most > 0 ? most * 1.1 : 1];
    new uPlot({ ...size, legend: { show: false }, cursor: { show: false }, scales: { x: { min: from, max: to }, y: { range } },
      series: [{}, ...lines], axes: [{ size: 28 }, { values, size: 58 }] }, [times.length ? times : [from, to], ...data], box);
    const legend = box.appendChild(document.createElement("p"));
    series.forEach(({ name }, index) => {
      const word = legend.appendChild(document.createElement("i"));
      word.textContent = "\\u25a0 " + name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => id.slice(-6));
      word.style.color = COLOURS[index % COLOURS.length];
    });
  }
}`;
