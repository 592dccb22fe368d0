// Puts the figures into docs/peers.md, between the two marks that it has for them, and the chart beside the other pictures.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceMarked } from "../marked.ts";
import { chart } from "./chart.ts";
import { NAMES } from "./peer.ts";
import { type PeersResult, rowsOf, shownRange, shownSubjects, usedByOthers } from "./result.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const PAGE = join(DOCS, "peers.md");
const CHART = join(DOCS, "images/peers.svg");

/** @returns the files */
export function writePage(result: PeersResult): readonly string[] {
  const rows = rowsOf(result);
  writeFileSync(CHART, chart(rows, captionOf(result)));
  writeFileSync(PAGE, replaceMarked(readFileSync(PAGE, "utf8"), "figures", section(result)));
  return [PAGE, CHART];
}

function captionOf({ at, machine, killBill, plan }: PeersResult): string {
  return (
    `${at.slice(0, 10)}, ${machine.cores} cores, load before ${machine.loadBefore.toFixed(1)}; Kill Bill ${killBill.version}; ` +
    `${plan.turns} turns of ${plan.secondsAPoint} s`
  );
}

export function section(result: PeersResult): string {
  const { at, plan } = result;
  const rows = rowsOf(result).map(({ what, unit, values, times }) => {
    const each = NAMES.map((name) => `${shownRange(values[name])} ${unit}`.trim());
    return `| ${what.trim()} | ${each.join(" | ")} | ${shownRange(times)} |`;
  });
  return [
    `Measured on ${at.slice(0, 10)}: ${shownSubjects(result)}. Medians of ${plan.turns} turns of ${plan.secondsAPoint} s, with their ranges;`,
    `${usedByOthers(result).toFixed(0)} % of the machine was used by whatever took no part.${loadNote(result)}`,
    "",
    "| | Faregate | Kill Bill | Faregate's, times better |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const BUSY = 1.5;
const NOT_QUIET = 10;

const loadNote = (result: PeersResult): string =>
  result.machine.loadBefore > BUSY || usedByOthers(result) > NOT_QUIET
    ? " **The machine was busy with other programs: only the ratios say anything.**"
    : "";
