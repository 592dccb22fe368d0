// The figures of a comparison: medians, ranges, which is better and by how much; the page and the chart that are made of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chart } from "./chart.ts";
import { section } from "./page.ts";
import { NAMES, type Name } from "./peer.ts";
import { count, type PeersResult, rowsOf, shownRange } from "./result.ts";
import { KINDS, type Sample } from "./turns.ts";

const machine = {
  ...{ cores: 2, processor: "Xeon", memoryGiB: 24, linux: "6", node: "v24", nodeOptions: "", loadBefore: 0.2 },
  ...{ fsyncMs: 0.4, durable: true },
};

/** Each turn of a peer a tenth faster than the one before, and Kill Bill five times as slow. */
function sample(name: Name, kind: Sample["kind"], turn: number): Sample {
  const speed = (name === "Faregate" ? 5 : 1) * (1 + turn / 10);
  return {
    ...{ turn, name, kind, count: 100, perSecond: 1_000 * speed, p50Ms: 10 / speed, p99Ms: 50 / speed },
    ...{ gatewayMicros: 1_500 / speed, databaseMicros: 500 / speed, walBytes: 9_000 / speed, othersPercent: 3 },
  };
}

const TURNS = [0, 1, 2];
const result: PeersResult = {
  ...{ at: "2026-11-28T18:45:00.000Z", machine, postgres: "postgres (PostgreSQL) 18.4" },
  killBill: { version: "0.24.16", javaVersion: "17.0.15", tomcatVersion: "9.0.98", hashRounds: 10 },
  plan: { turns: 3, secondsAPoint: 4, warmUpSeconds: 30, lists: 50, refunds: 200 },
  samples: TURNS.flatMap((turn) => NAMES.flatMap((name) => KINDS.map((kind) => sample(name, kind, turn)))),
  memory: [
    { name: "Faregate", nowMiB: 150, peakMiB: 200 },
    { name: "Kill Bill", nowMiB: 900, peakMiB: 800 },
  ],
};
const row = (start: string, of = result) => rowsOf(of).find(({ what }) => what.trim().startsWith(start));

describe("a comparison", () => {
  test("a figure is the median of the turns, with its range", () => {
    assert.deepEqual(row("payments a second, 64")?.values["Kill Bill"], { least: 1_000, median: 1_100, most: 1_200 });
  });

  test("more payments a second are better, less CPU time is: both are told as times better", () => {
    for (const start of ["payments a second, 1 ", "CPU time a payment, 16", "a list of 50", "log (WAL)"])
      assert.equal(row(start)?.times.median.toFixed(6), "5.000000", start);
    assert.equal(row("memory in the end")?.times.median, 6);
  });

  test("what the other does better is told below 1", () => {
    const swapped = result.samples.map((one) => ({
      ...one,
      name: NAMES.find((name) => name !== one.name) ?? one.name,
    }));
    assert.equal(row("refunds a second", { ...result, samples: swapped })?.times.median.toFixed(1), "0.2");
  });

  test("times better is taken within a turn, so that a slow turn of both changes nothing", () => {
    const slow = result.samples.map((one) => (one.turn === 1 ? { ...one, perSecond: one.perSecond / 10 } : one));
    const times = row("payments a second, 16", { ...result, samples: slow })?.times;
    assert.deepEqual([times?.least.toFixed(3), times?.most.toFixed(3)], ["5.000", "5.000"]);
  });

  test("CPU time a payment is the gateway's and PostgreSQL's", () => {
    assert.equal(row("CPU time a payment, 1 ")?.values["Kill Bill"].most, 2_000);
    assert.equal(row("of which PostgreSQL's")?.values["Kill Bill"].most, 500);
  });

  test("numbers are shown with separated thousands, and a decimal where it matters", () => {
    assert.deepEqual([1_234_567, 99.94, 100, 0.25].map(count), ["1,234,567", "99.9", "100", "0.3"]);
    assert.equal(shownRange({ least: 1_000, median: 1_100, most: 1_200 }), "1,100 (1,000 to 1,200)");
    assert.equal(shownRange({ least: 5, median: 5, most: 5.01 }), "5.0");
  });
});

describe("the page of a comparison", () => {
  test("names machine, versions and the rounds of the password hash, and has a line for each figure", () => {
    const text = section(result);
    for (const part of ["2026-11-28", "2 cores (Xeon)", "Kill Bill 0.24.16", "Java 17.0.15", "hash of 10 rounds"])
      assert.ok(text.includes(part), part);
    assert.equal(text.split("\n").filter((line) => line.startsWith("| ")).length, rowsOf(result).length + 1);
  });

  test("says so where the machine was busy", () => {
    assert.doesNotMatch(section(result), /busy/);
    assert.match(section({ ...result, machine: { ...machine, loadBefore: 12 } }), /busy with other programs/);
    const samples = result.samples.map((one) => ({ ...one, othersPercent: 60 }));
    assert.match(section({ ...result, samples }), /busy with other programs/);
  });
});

describe("the chart of a comparison", () => {
  const svg = chart(rowsOf(result), "Xeon & friends <2 cores>");

  test("has a bar for each figure of both, as long as the figure", () => {
    const widths = (style: string) =>
      [...svg.matchAll(new RegExp(`class="${style}"[^>]*? width="([\\d.]+)"`, "g"))].map(([, width]) => Number(width));
    const [ours, theirs] = [widths("faregate").slice(1), widths("kill-bill").slice(1)]; // the first is the legend's
    assert.equal(ours.length, 10);
    assert.equal(theirs.length, ours.length);
    assert.ok(Math.abs((ours[0] ?? 0) / (theirs[0] ?? 0) - 5) < 0.1);
  });

  test("is XML that is closed, with its text escaped and a description for who cannot see it", () => {
    const open: string[] = [];
    for (const [, close, name = "", self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g))
      if (close) assert.equal(open.pop(), name);
      else if (!self) open.push(name);
    assert.deepEqual(open, []);
    assert.match(svg, /Xeon &amp; friends &lt;2 cores&gt;/);
    assert.match(svg, /<desc id="desc">payments a second, 1 connection: Faregate 5,500 \/s, Kill Bill 1,100 \/s/);
  });

  test("has colors for a light and for a dark page, and nothing from elsewhere", () => {
    assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
    assert.doesNotMatch(svg.replace("http://www.w3.org/2000/svg", ""), /https?:|href=/);
  });
});
