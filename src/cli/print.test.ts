// What a merchant or a processor wrote is shown to whoever sits at a terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rowOf } from "./finding.ts";
import { details, table } from "./print.ts";

/** Clears a terminal's screen, names its window, begins a line of its own; the last three are one character each (C1). */
const HOSTILE = "order\u001b[2J\u001b]0;title\u0007\nforged  approved\r\u007f\u009b2J\u0085";
const SHOWN = "order\ufffd[2J\ufffd]0;title\ufffd\ufffdforged  approved\ufffd\ufffd\ufffd2J\ufffd";

test("no text of others' moves a terminal's cursor or begins a line", () => {
  assert.equal(table(["order", "note"], [[HOSTILE, "x"]], ""), `${"ORDER".padEnd(SHOWN.length)}  NOTE\n${SHOWN}  x`);
  assert.equal(
    details("The order:", { order: HOSTILE, all: [HOSTILE], "\u001b[2J": 1 }),
    `The order:\n\n  order  ${SHOWN}\n  all    ${SHOWN}\n  \ufffd[2J   1`,
  );
  assert.equal(rowOf(["missing", "sale", HOSTILE]), `missing           sale       ${SHOWN}`);
});

test("letters of all languages are shown as they are", () => {
  assert.equal(table(["name"], [["Zoë 東京 \u{1f600}"]], ""), "NAME\nZoë 東京 \u{1f600}");
});
