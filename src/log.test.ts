import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { formatFor, inWords } from "./log.ts";

/** What a terminal shows of what is logged, without the time of day. */
function shownOf(say: (log: pino.Logger) => void): string {
  const lines: string[] = [];
  say(pino({ level: "trace" }, { write: (line) => void lines.push(inWords(line)) }));
  const text = lines.join("");
  assert.match(text, /^\d\d:\d\d:\d\d /);
  return text.replace(/^\d\d:\d\d:\d\d /, "");
}

test("a terminal gets words and everything else JSON, unless the setting says otherwise", () => {
  assert.equal(formatFor(undefined, { isTTY: true }), "text");
  assert.equal(formatFor(undefined, {}), "json");
  assert.equal(formatFor("json", { isTTY: true }), "json");
  assert.equal(formatFor("text", {}), "text");
});

test("in words a line is what happened, and in brackets what belongs to it", () => {
  assert.equal(
    shownOf((log) => log.info("Migrating the database: 0001-journal")),
    "Migrating the database: 0001-journal\n",
  );
  assert.equal(
    shownOf((log) => log.warn({ events: 2, processor: "01a1", more: { deep: ["x"] } }, "events were found")),
    "warning: events were found (events 2, processor 01a1, more { deep: [ 'x' ] })\n",
  );
});

test("an error shows where it was thrown", () => {
  const text = shownOf((log) => log.error({ err: new Error("it broke"), id: 7 }, "a request failed"));
  assert.match(text, /^error: a request failed \(id 7\)\nError: it broke\n {4}at /);
});

test("nothing in a line moves the terminal's cursor", () => {
  const text = shownOf((log) => log.info({ said: "\u001b[2J\r\u0007", deep: ["\u001b"] }, "one\u001b[1A"));
  assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
});
