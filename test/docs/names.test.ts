// What the pages name is there: commands of the shell and of Faregate with their options, npm's scripts, files, settings and routes,
// in blocks, whether a test runs them or not, and in the middle of a sentence.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import { readSettings } from "../../src/settings.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import { blocksOf } from "./shown.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = globSync(["*.md", "*/README.md", "docs/**/*.md", "packages/*/*.md"], { cwd: ROOT })
  .filter((page) => !page.startsWith("node_modules"))
  .sort();
/** What hosts of processors, and their stand-ins, have at their own addresses. */
const OF_OTHERS = /^\/(v1|payments|misbehave|outage|settle|balance|books)\b/;

interface Named {
  readonly place: string;
  readonly text: string;
}

const shellBlocks = PAGES.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === "sh")
    .map(({ line, note, text }) => ({ place: `${page}:${line}`, note, text: text.replaceAll(/\\\n\s*/g, " ") })),
);
const inSentences = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/^( *)```[\s\S]*?^\1```$/gm, (block) =>
    block.replaceAll(/[^\n]/g, " "),
  );
  return [...text.matchAll(/`([^`]+)`/g)].map(({ 1: code = "", index }) => ({
    place: `${page}:${text.slice(0, index).split("\n").length}`,
    text: code.replaceAll(/\s+/g, " "),
  }));
});
const everywhere: readonly Named[] = [...shellBlocks, ...inSentences];

/** The places where a text does not name what is there. */
function wrongPlaces(texts: readonly Named[], pattern: RegExp, fault: (...found: string[]) => string | undefined) {
  let count = 0;
  const wrong = texts.flatMap(({ place, text }) =>
    [...text.matchAll(pattern)].flatMap(([, ...found]) => {
      count += 1;
      const said = fault(...found.map((one = "") => one));
      return said === undefined ? [] : [`${place}: ${said}`];
    }),
  );
  assert.ok(count > 5, `only ${count} found: the pattern is wrong`);
  return wrong;
}

test("each shell block that no test runs is one that bash can read", () => {
  const notRun = shellBlocks.filter(({ note }) => note !== "");
  assert.ok(notRun.length > 0);
  const wrong = notRun.flatMap(({ place, text }) => {
    try {
      execFileSync("bash", ["-n"], { input: text, stdio: ["pipe", "ignore", "pipe"] });
      return [];
    } catch (error) {
      return [`${place}: ${error instanceof Error ? error.message : error}`];
    }
  });
  assert.deepEqual(wrong, []);
});

test("each command of Faregate that a page names exists, with its options", () => {
  const all = program(async () => undefined);
  // At the beginning of a command, not where another program names a database or a release `faregate`.
  const PATTERN = /(?:^ *|npx |[;&|(] *|\w=\S+ )faregate((?: +(?:"[^"]*"|'[^']*'|[^\s;&|<>#()"']+)+)+)/gm;
  const fault = (line = "") => commandFault(all, line);
  assert.deepEqual(wrongPlaces(everywhere, PATTERN, fault), []);
});

function commandFault(all: Command, line: string): string | undefined {
  const words = (line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).filter((word) => !/^(…|\.\.\.)$/.test(word));
  let command = all;
  let isValue = false;
  for (const word of words) {
    const option = command.options.find(({ long, short }) => [long, short].includes(word.replace(/=.*/s, "")));
    const next = isValue ? undefined : command.commands.find((one) => one.name() === word);
    if (next !== undefined) command = next;
    else if (!isValue && /^--?[a-z]/.test(word) && option === undefined && word !== "--help")
      return `no option ${word} in faregate${line}`;
    else if (!isValue && command.commands.length > 0 && /^[a-z]/.test(word))
      return `no command ${word} in faregate${line}`;
    isValue = option !== undefined && !word.includes("=") && (option.required || option.optional);
  }
  return undefined;
}

test("each script of npm, and each file that a page runs, is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const PATTERN = /\bnpm run ([\w-]+)/g;
  assert.deepEqual(
    wrongPlaces(everywhere, PATTERN, (name = "") => (name in scripts ? undefined : `no script ${name}`)),
    [],
  );
  assert.deepEqual(
    wrongPlaces(everywhere, /\b((?:bin|bench|scripts|test|src)\/[\w/.-]+\.(?:ts|mjs))/g, (file = "") =>
      existsSync(join(ROOT, file)) ? undefined : `no file ${file}`,
    ),
    [],
  );
});

test("each setting that a page names is one", () => {
  const known = new Set<string | symbol>();
  readSettings(new Proxy({}, { get: (_, name) => void known.add(name) }));
  const named = (name: string) => (known.has(name) ? undefined : `no setting ${name}`);
  const own = (name = "") => (readSettings({ [name]: "" }).ok || known.has(name) ? undefined : `no setting ${name}`);
  assert.deepEqual(wrongPlaces(everywhere, /\b(FAREGATE_[A-Z_]+)/g, own), []);
  const before = /^(?:\w+=[^\s(]* )*([A-Z_]+)=[^\s(]* (?:\w+=[^\s(]* )*(?:npx faregate|faregate|npm start)\b/gm;
  assert.deepEqual(
    shellBlocks.flatMap(({ place, text }) =>
      [...text.matchAll(before)].flatMap(([, name = ""]) => named(name) ?? []).map((said) => `${place}: ${said}`),
    ),
    [],
  );
});

test("each method and path that a page names is a route", async (t) => {
  const gateway = await startTestGateway();
  t.after(gateway.close);
  const named = new Map<string, string>();
  for (const { place, text } of everywhere)
    for (const [, method = "", path = ""] of text.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/[^\s`"',;)]*)/g)) {
      const bare = path.replace(/[?#].*/, "").replaceAll(/\{\w+\}|…/g, "00000000-0000-7000-8000-000000000000");
      if (!OF_OTHERS.test(bare)) named.set(`${method} ${bare}`, place);
    }
  assert.ok(named.size > 50, `only ${named.size} found`);
  const wrong = await Promise.all(
    [...named].map(async ([name, place]) => {
      const [method = "", path = ""] = name.split(" ");
      const { status, text } = await gateway.call(method, path, { token: null });
      return status === 405 || text.includes("nothing at this path") ? [`${place}: ${name} is ${status}`] : [];
    }),
  );
  assert.deepEqual(wrong.flat(), []);
});
