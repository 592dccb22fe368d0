// Figures of our own beside the client library's: from the same additions both must print the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Histogram, Registry } from "prom-client";
import { inText } from "./metrics.ts";
import { counter, histogram } from "./tallies.ts";

const BOUNDS = [0.1, 1, 10];
const VALUES = [0, 0.05, 0.1, 0.100001, 1, 3, 10, 10.5, 1_000];
const COUNT = { name: "done_total", help: "What was done." };
const TIME = { name: "time_seconds", help: "How long." };

const lines = async (register: Registry): Promise<string[]> =>
  (await inText([await register.getMetricsAsJSON()])).split("\n").toSorted();

test("a counter and a histogram print what the client library prints for the same additions", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  for (const register of [ours, theirs]) register.setDefaultLabels({ process: "main" });
  const done = counter(ours, COUNT);
  const took = histogram(ours, TIME, BOUNDS);
  const registers = [theirs];
  const expectedDone = new Counter({ ...COUNT, labelNames: ["kind"], registers });
  const expectedTook = new Histogram({ ...TIME, labelNames: ["kind"], buckets: [...BOUNDS], registers });
  for (const kind of ["a", 'b"\\'])
    for (const value of VALUES) {
      done({ kind }).add();
      took({ kind }).observe(value);
      expectedDone.inc({ kind });
      expectedTook.observe({ kind }, value);
    }
  assert.deepEqual(await lines(ours), await lines(theirs));
});

test("the same labels are the same series", () => {
  const of = counter(new Registry(), COUNT);
  assert.equal(of({ kind: "a" }), of({ kind: "a" }));
  assert.notEqual(of({ kind: "a" }), of({ kind: "b" }));
});
