import assert from "node:assert/strict";
import { test } from "node:test";
import { logLines } from "./log-lines.ts";

const FAILED = "an authentication failed";

function kept() {
  const told: (readonly [string, object, string])[] = [];
  const log = {
    info: (facts: object, text: string) => void told.push(["info", facts, text]),
    warn: (facts: object, text: string) => void told.push(["warn", facts, text]),
    error: (facts: object, text: string) => void told.push(["error", facts, text]),
  };
  let nowMs = 0;
  const lines = logLines(log, () => nowMs);
  const tell = (address: string, known?: string, text = FAILED) => lines.tell({ log, facts: { address }, text, known });
  return { told, log, lines, tell, at: (seconds: number) => (nowMs = seconds * 1_000) };
}

function factsOf(line: readonly [string, object, string] | undefined) {
  assert.ok(line);
  return line[1] as { readonly more: number; readonly sources: number; readonly most: readonly object[] };
}

const times = (count: number, work: (nth: number) => void) => Array.from({ length: count }, (_, nth) => work(nth));

test("ten a minute of one network are told, and then how many more there were", () => {
  const { told, tell, lines, at } = kept();
  times(12, (nth) => tell(`2001:db8::${nth}`));
  assert.deepEqual(told[9], ["info", { address: "2001:db8::9" }, FAILED]);
  assert.equal(told.length, 10);
  lines.close();
  const most = [{ from: "2001:db8:0:0::/64", lines: 2 }];
  assert.deepEqual(told.slice(10), [["warn", { more: 2, sources: 1, most }, `more of the same: ${FAILED}`]]);
  at(60);
  tell("2001:db8::1");
  lines.close();
  assert.equal(told.length, 12);
});

test("of all networks sixty are told, another text by itself, and of the others those that caused most are named", () => {
  const { told, tell, lines } = kept();
  times(100, () => tell("192.0.2.1"));
  for (let nth = 0; nth < 200; nth++) tell(`198.51.100.${nth}`);
  tell("192.0.2.1", undefined, "a notification is not genuine");
  assert.equal(told.length, 61);
  assert.deepEqual(told.at(-1)?.[2], "a notification is not genuine");
  lines.close();
  const { most, ...rest } = factsOf(told[61]);
  assert.deepEqual([rest, most.length, most[0]], [{ more: 240, sources: 151 }, 5, { from: "192.0.2.1", lines: 90 }]);
});

test("a token that is known is told each time, whatever strangers do, up to thirty a minute from wherever it is used", () => {
  const { told, tell, lines } = kept();
  times(1_000, (nth) => tell(`192.0.2.${nth % 250}`));
  const before = told.length;
  times(31, (nth) => tell(`203.0.113.${nth}`, "a-token"));
  assert.equal(told.length, before + 30);
  lines.close();
  assert.equal(factsOf(told.at(-1)).more, 1_000 - 60 + 1);
});

test("what was left out is told within a minute, also if nothing follows, and once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { told, lines } = kept();
  const line = { facts: { address: "192.0.2.1" }, text: FAILED };
  times(3, () => lines.leaveOut(line));
  t.mock.timers.tick(59_999);
  assert.deepEqual(told, []);
  t.mock.timers.tick(1);
  assert.equal(told.length, 1);
  t.mock.timers.tick(60_000);
  lines.close();
  assert.equal(told.length, 1);
});
