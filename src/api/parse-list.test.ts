// What is said of times that are none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseList } from "./parse-list.ts";
import { RequestFault } from "./request-fault.ts";

const NOW = new Date("2031-06-01T00:00:00Z");
const EXPECTED = "must be a date and time (UTC) such as 2031-05-01 14:30:00, or as responses show it";

function told(text: string): readonly string[] | undefined {
  try {
    parseList({ search: { created_at_gte: text } }, NOW);
    return undefined;
  } catch (fault) {
    assert.ok(fault instanceof RequestFault);
    return fault.messages["search.created_at_gte"];
  }
}

test("a whole day is no time, as the specification has it, and the message says when the day begins and ends", () => {
  for (const [text, more] of [
    ["2031-05-31", "; this day is from 2031-05-31 00:00:00 to 2031-05-31 23:59:59"],
    ["2031-02-30", ""],
    ["yesterday", ""],
    ["2031-05-31 25:00:00", ""],
  ] as const)
    assert.deepEqual(told(text), [EXPECTED + more], text);
  assert.equal(told("2031-05-31 00:00:00"), undefined);
});
