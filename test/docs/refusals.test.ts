// The list of refusals, their answers and docs/refusals.md are in step.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REFUSAL_RESPONSES } from "../../src/api/refusal-responses.ts";
import { WHEN_REFUSED } from "../../src/api/refusals-guide.ts";
import { REFUSALS } from "../../src/payment/refusal.ts";

const PAGE = join(import.meta.dirname, "../../docs/refusals.md");

/** The rows of all tables, header and rule aside: name, status, field, text, when. */
function documented() {
  const rows = readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return rows.map(([, name = "", status, field = "", text, when]) => ({
    name: name.replaceAll("`", ""),
    status: Number(status),
    field,
    text,
    when,
  }));
}

test("every refusal is in the docs once, in the order of the list", () => {
  assert.deepEqual(
    documented().map(({ name }) => name),
    [...REFUSALS],
  );
});

test("no answer is left over from a refusal that is gone", () => {
  assert.deepEqual(Object.keys(REFUSAL_RESPONSES), [...REFUSALS]);
});

test("the docs give each refusal the status and the text that the API answers with", () => {
  assert.deepEqual(
    documented().map(({ name, status, text }) => [name, { status, text }]),
    REFUSALS.map((name) => [name, REFUSAL_RESPONSES[name]]),
  );
});

test("the docs say when each refusal happens, as the page of errors does", () => {
  assert.deepEqual(
    documented().map(({ name, when }) => [name, when]),
    REFUSALS.map((name) => [name, WHEN_REFUSED[name]]),
  );
});

test("the docs say of each refusal which field is at fault", () => {
  assert.deepEqual(
    documented().filter(({ field }) => !field.startsWith("`")),
    [],
  );
});
