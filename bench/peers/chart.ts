// The comparison as a picture: bars of both for each figure, each panel on a scale of its own from zero, with the range over the turns.
// SVG that can be read on a light and on a dark page: it brings its own background and follows the reader's choice.

import { NAMES, type Name } from "./peer.ts";
import { count, type Range, type Row } from "./result.ts";

interface Panel {
  readonly title: string;
  /** Behind the title. */
  readonly note: string;
  readonly bars: readonly { readonly label: string; readonly row: Row }[];
}

const WIDTH = 880;
const PANEL = { width: 420, left: 16, gap: 24 } as const;
const BAR = { height: 15, gap: 3, between: 12 } as const;
const LABEL_WIDTH = 104;
/** Behind the longest bar, for its figure. */
const FIGURE_WIDTH = 118;
const TITLE_HEIGHT = 44;

const STYLE = `
  svg { color-scheme: light dark; }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 14px; font-weight: 600; }
  .note { fill: #59636e; }
  .page { fill: #ffffff; }
  .faregate { fill: #0b62c4; }
  .kill-bill { fill: #9a6700; }
  .range { stroke: #1f2328; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .page { fill: #0d1117; }
    .faregate { fill: #58a6ff; }
    .kill-bill { fill: #d29922; }
    .range { stroke: #f0f6fc; }
  }`;

const CLASSES: Readonly<Record<Name, string>> = { Faregate: "faregate", "Kill Bill": "kill-bill" };

/** @param caption under the chart: what it was measured on */
export function chart(rows: readonly Row[], caption: string): string {
  const panels = panelsOf(rows);
  const columns: [Panel[], Panel[]] = [[], []];
  for (const [nth, panel] of panels.entries()) columns[nth % 2 === 0 ? 0 : 1].push(panel);
  const top = 56;
  let height = top;
  const parts = columns.flatMap((column, nth) => {
    const x = PANEL.left + nth * (PANEL.width + PANEL.gap);
    let y = top;
    return column.map((panel) => {
      const drawn = drawPanel(panel, x, y);
      y += panelHeight(panel);
      height = Math.max(height, y);
      return drawn;
    });
  });
  const told = rows.map(({ what, unit, values }) => {
    const each = NAMES.map((name) => `${name} ${count(values[name].median)} ${unit}`);
    return `${what.trim()}: ${each.join(", ")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height + 28}" viewBox="0 0 ${WIDTH} ${height + 28}" role="img" aria-labelledby="title desc">
<title id="title">Faregate and Kill Bill on the same machine</title>
<desc id="desc">${escaped(told.join(". "))}.</desc>
<style>${STYLE}
</style>
<rect class="page" width="100%" height="100%" rx="8"/>
${legend()}
${parts.join("\n")}
<text class="note" x="${PANEL.left}" y="${height + 12}">${escaped(caption)}</text>
</svg>
`;
}

function panelsOf(rows: readonly Row[]): readonly Panel[] {
  const bars = (start: string, label: (what: string) => string) =>
    rows.filter(({ what }) => what.startsWith(start)).map((row) => ({ label: label(row.what), row }));
  const behindComma = (what: string): string => what.split(", ").at(-1) ?? "";
  return [
    { title: "Payments a second", note: "more is better", bars: bars("payments a second", behindComma) },
    {
      title: "CPU time a payment, µs",
      note: "less is better; with PostgreSQL's",
      bars: bars("CPU time a payment", behindComma),
    },
    { title: "A list of 50, ms", note: "less is better", bars: bars("a list of 50", () => "one at a time") },
    { title: "Refunds a second", note: "more is better", bars: bars("refunds a second", behindComma) },
    { title: "Log (WAL) a payment, bytes", note: "less is better", bars: bars("log (WAL)", behindComma) },
    {
      title: "Memory, MiB",
      note: "less is better; without PostgreSQL",
      bars: bars("memory in the end", () => "in the end"),
    },
  ];
}

const panelHeight = ({ bars }: Panel): number =>
  TITLE_HEIGHT + bars.length * (2 * BAR.height + BAR.gap + BAR.between) + 8;

function drawPanel({ title, note, bars }: Panel, x: number, top: number): string {
  const longest = Math.max(...bars.flatMap(({ row }) => NAMES.map((name) => row.values[name].most)));
  const scale = (PANEL.width - LABEL_WIDTH - FIGURE_WIDTH) / longest;
  const rows = bars.map(({ label, row }, nth) => {
    const y = top + TITLE_HEIGHT + nth * (2 * BAR.height + BAR.gap + BAR.between);
    const each = NAMES.map((name, at) =>
      drawBar(row.values[name], CLASSES[name], x + LABEL_WIDTH, y + at * (BAR.height + BAR.gap), scale),
    );
    return `<text x="${x}" y="${y + BAR.height + 6}">${escaped(label)}</text>${each.join("")}`;
  });
  return `<g><text class="title" x="${x}" y="${top + 16}">${escaped(title)}</text><text class="note" x="${x}" y="${top + 33}">${escaped(note)}</text>${rows.join("\n")}</g>`;
}

function drawBar({ least, median, most }: Range, style: string, x: number, y: number, scale: number): string {
  const at = (value: number): string => (x + value * scale).toFixed(1);
  const middle = y + BAR.height / 2;
  const range =
    most > least
      ? `<path class="range" d="M${at(least)} ${middle}H${at(most)}M${at(least)} ${middle - 3}v6M${at(most)} ${middle - 3}v6"/>`
      : "";
  return (
    `<rect class="${style}" x="${x}" y="${y}" width="${Math.max(1, median * scale).toFixed(1)}" height="${BAR.height}"/>${range}` +
    `<text x="${(x + most * scale + 8).toFixed(1)}" y="${y + 12}">${count(median)}</text>`
  );
}

function legend(): string {
  const each = NAMES.map((name, nth) => {
    const x = PANEL.left + nth * 110;
    return `<rect class="${CLASSES[name]}" x="${x}" y="18" width="14" height="14"/><text x="${x + 20}" y="30">${name}</text>`;
  });
  return `${each.join("")}<text class="note" x="${PANEL.left + 220}" y="30">bars: median of the turns; lines: their range; each panel from zero</text>`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
