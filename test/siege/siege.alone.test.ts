// Two minutes of `npm run siege`, with a second of quiet before. What depends on the machine's speed is shown and not asserted: `npm run siege` does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { undoing } from "../../bench/undo.ts";
import { SEED } from "../random.ts";
import { judge } from "./judge.ts";
import { planOfTest } from "./plan.ts";
import { KINDS } from "./registry.ts";
import { render } from "./report.ts";
import { besiege } from "./siege.ts";

test("a merchant sells, and nobody is given what is another's, while hostile clients of every kind are at it", async (t) => {
  const kinds = KINDS.map(({ name }) => name);
  await undoing(async (undo) => {
    const findings = await besiege(undo, planOfTest(SEED, kinds), { say: (line) => t.diagnostic(line) });
    const verdicts = judge(findings);
    t.diagnostic(render(findings, verdicts));
    const broken = verdicts.filter(({ kept, dependsOnSpeed }) => !kept && !dependsOnSpeed);
    assert.deepEqual(broken, [], render(findings, verdicts));
  });
});
