// Every link of the docs leads somewhere: to a file that is there, and to a heading that it has.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort();

/** Without what is shown as code, where brackets mean something else. */
const prose = (page: string): string =>
  readFileSync(join(ROOT, page), "utf8")
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => (code.includes("](") ? "" : code));

/** As GitHub names a heading's place. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

function anchorsOf(page: string): Set<string> {
  const found = new Set([...prose(page).matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of prose(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading);
    for (let number = 0; ; number++) {
      const name = number === 0 ? anchor : `${anchor}-${number}`;
      if (found.has(name)) continue;
      found.add(name);
      break;
    }
  }
  return found;
}

const linksOf = (page: string): string[] =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
const isOutside = (target: string): boolean => /^[a-z]+:/.test(target);

test("every link within the docs leads to a file and a heading that are there", () => {
  const broken: string[] = [];
  let followed = 0;
  for (const page of PAGES)
    for (const target of linksOf(page).filter((one) => !isOutside(one))) {
      followed++;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, file))) broken.push(`${page}: ${target}`);
      else if (anchor !== undefined && !anchorsOf(file).has(anchor)) broken.push(`${page}: ${target}: no such heading`);
    }
  assert.deepEqual(broken, []);
  assert.ok(followed > 100, `${followed} links`);
});

test("links to the outside are https", () => {
  const plain = PAGES.flatMap((page) =>
    linksOf(page).filter((target) => isOutside(target) && !/^(https|mailto):/.test(target)),
  );
  assert.deepEqual(plain, []);
});

test("every page of the docs is linked from another", () => {
  const linked = new Set(
    PAGES.flatMap((page) =>
      linksOf(page)
        .filter((target) => !isOutside(target) && !target.startsWith("#"))
        .map((target) => relative(ROOT, resolve(ROOT, dirname(page), target.split("#")[0] ?? "")))
        .filter((file) => file !== page),
    ),
  );
  assert.deepEqual(
    PAGES.filter((page) => page.startsWith("docs/") && !linked.has(page)),
    [],
  );
});
