// docs/errors.md, the list of errors and what the API answers are in step.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf, ERRORS } from "../../src/api/errors-guide.ts";
import { REFUSAL_RESPONSES } from "../../src/api/refusal-responses.ts";
import { AFTER_REFUSAL } from "../../src/api/refusals-guide.ts";
import { REFUSALS } from "../../src/payment/refusal.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The cells of each row that has a place of its own, its name first. */
const documented = readFileSync(join(ROOT, "docs/errors.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| <a "))
  .map((line) => line.slice(2, -2).split(" | "));

const named = (name: string) => `<a id="${name}"></a>\`${name}\``;

test("the page has every error and every refusal, in order, with what the code says of it", () => {
  const errors = Object.entries(ERRORS).map(([name, { status, means, todo }]) => [
    named(name),
    `\`${codeOf(name)}\``,
    `${status}`,
    means,
    todo,
  ]);
  const refusals = REFUSALS.map((name) => [named(name), `${REFUSAL_RESPONSES[name].status}`, AFTER_REFUSAL[name]]);
  assert.deepEqual(documented, [...errors, ...refusals]);
});

test("every error of the list is given somewhere", () => {
  const files = globSync(["src/api/**/*.ts", "src/merchants/*.ts"], { cwd: ROOT }).filter(
    (path) => !path.endsWith(".test.ts") && !path.endsWith("errors-guide.ts"),
  );
  const code = files.map((path) => readFileSync(join(ROOT, path), "utf8")).join("\n");
  assert.deepEqual(
    Object.keys(ERRORS).filter((name) => !code.includes(`"${name}"`)),
    [],
  );
});
