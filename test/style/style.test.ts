// Our own style, as far as a program can tell (CONTRIBUTING.md): what is too big, what no stranger would understand, what lies in
// the wrong place. Names, direction of imports and formatting are the linter's.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isProduction, type Module, readModules, roomOf } from "./modules.ts";

const ROOT = join(import.meta.dirname, "../..");
const MODULES = readModules();
const production = [...MODULES.values()].filter(({ path }) => isProduction(path));

const MOST_LINES = 400;
const FEWEST_LINES = 20;

test("there is something to look at", () => {
  assert.ok(production.length > 300);
  assert.ok(production.some(({ imports }) => imports.some(({ path }) => roomOf(path) === "src/payment")));
});

test("no file is longer than what is read at once", () => {
  const long = [...MODULES.values()].flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    return lines > MOST_LINES ? [`${path}: ${lines} lines`] : [];
  });
  assert.deepEqual(long, []);
});

test("a file of a few lines that one neighbour alone needs is a half of it, and stands there", () => {
  const neighbours = (path: string) => {
    const users = production.filter(({ imports }) => imports.some((one) => one.path === path));
    return users.length === 1 && users.every((user) => dirname(user.path) === dirname(path));
  };
  const halves = production.filter(({ path, text }) => text.split("\n").length <= FEWEST_LINES && neighbours(path));
  assert.deepEqual(
    halves.map(({ path }) => path),
    [],
  );
});

test("no start loads what fetch is", () => {
  const loaders = production.filter(({ text }) =>
    /^(?:import|export) (?!type\b)[^"';]*from "node:http"|\bimport\("node:http"\)/m.test(text),
  );
  assert.deepEqual(
    loaders.map(({ path }) => path),
    [],
  );
});

test("a file that a page names is there, and the page of the architecture names every room", () => {
  const pages = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
  const files = globSync("{src,test,bench,acquirer,bin,scripts}/**/*.{ts,mjs,sql}", { cwd: ROOT });
  const isThere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`));
  const gone = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/`([\w/-]+(?:\.test)?\.ts)`/g)].flatMap(([, name = ""]) =>
      isThere(name) ? [] : [`${page}: ${name}`],
    ),
  );
  assert.ok(pages.length > 20);
  assert.deepEqual(gone, []);
  const architecture = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const rooms = new Set(
    production.map(({ path }) => path.split("/")).flatMap(([, room, ...rest]) => (rest.length > 0 ? [room] : [])),
  );
  assert.deepEqual(
    [...rooms].filter((room) => !architecture.includes(`\n  ${room}/ `)),
    [],
  );
});

test("what is sent is rendered in api/, but for records that operators keep, files of theirs, and the settings of a kind", () => {
  const rooms = new Set(production.filter(({ text }) => /\bType\.Object\(/.test(text)).map(({ path }) => roomOf(path)));
  const allowed = ["api", "declared", "merchants", "people", "processors", "webhooks"].map((room) => `src/${room}`);
  assert.deepEqual([...rooms].sort(), allowed);
});

test("a file opens with what it is", () => {
  const silent = production.filter(({ path, text }) => !path.endsWith(".d.ts") && !text.startsWith("// "));
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});

test("no two files need each other, not for types either", () => {
  assert.deepEqual(circles(), []);
});

test("what only tests use lies under test/", () => {
  const used = new Set(production.flatMap(({ imports }) => imports.map(({ path }) => path)));
  const starts = new Set([
    "src/main.ts",
    "src/faregate.ts",
    "src/heavy-worker/process.ts",
    "src/workers/primary.ts",
    "src/workers/process.ts",
  ]);
  const unused = production.filter(({ path }) => !used.has(path) && !starts.has(path) && !path.endsWith(".d.ts"));
  assert.deepEqual(
    unused.map(({ path }) => path),
    [],
  );
});

test("what runs with the gateway imports no test", () => {
  const wrong = production.flatMap(({ path, text, imports }) => [
    ...imports.filter((one) => !isProduction(one.path)).map((one) => `${path} imports ${one.path}`),
    ...(/from "(node:test|fast-check)"/.test(text) ? [`${path} is a test`] : []),
  ]);
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    [...MODULES.keys()].filter((path) => path.startsWith("src/") && path.includes(".fixture.")),
    [],
  );
});

test("a function or class that another room uses says what it gives", () => {
  const undescribed = new Set<string>();
  for (const { path, imports } of production)
    for (const { path: from, names } of imports) {
      const module = MODULES.get(from);
      if (module === undefined || roomOf(from) === roomOf(path)) continue;
      for (const name of names) if (isUndescribed(module, name)) undescribed.add(`${from}: ${name}`);
    }
  assert.deepEqual([...undescribed], []);
});

/** Functions, classes, and constants that are functions; types say it of their members. */
function isUndescribed({ text }: Module, name: string): boolean {
  const declared = new RegExp(
    `(\\*/\\n)?^export (?:(?:async )?function\\*? |class |const (?=${name} = (?:async )?[(<]))${name}\\b`,
    "m",
  );
  const found = declared.exec(text);
  return found !== null && found[1] === undefined;
}

/** Each as the files that it goes through. */
function circles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(" → "));
    if (done.has(path) || way.includes(path)) return;
    for (const { path: next } of MODULES.get(path)?.imports ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of MODULES.keys()) visit(path, []);
  return found;
}
