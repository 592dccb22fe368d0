// What a page of the docs shows as code, and whether an answer is the one that it shows.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Block {
  /** The word after the three backticks; "" without one. */
  readonly language: string;
  /** What stands behind that word, such as `not run: needs Docker`. */
  readonly note: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly section: string;
  readonly line: number;
}

/** @param page from the project's folder: `docs/quickstart.md` */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(import.meta.dirname, "../..", page), "utf8");
  return [...text.matchAll(/^( *)```(\w*)(?: +(.+))?\n([\s\S]*?)^\1```$/gm)].map(
    ({ 1: indent = "", 2: language = "", 3: note = "", 4: inner = "", index }) => ({
      language,
      note,
      text: inner.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      section:
        text
          .slice(0, index)
          .match(/^## .+/gm)
          ?.at(-1) ?? "",
      line: text.slice(0, index).split("\n").length,
    }),
  );
}

/** Whether this machine has the program. */
export function isThere(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * What the page shows and the answer has not, by place. The answer may have more: pages shorten, some with `"…"` as a name. Only of a
 * record that is shown from its id to when it was created nothing may be left out without that.
 */
export function unlike(shown: unknown, answer: unknown, at = ""): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answer)) return [`${at} is no list`];
    return shown.flatMap((one, index) => unlike(one, answer[index], `${at}.${index}`));
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof answer !== "object" || answer === null) return [`${at} is no object`];
    const leftOut = isWhole(shown) ? Object.keys(answer).filter((name) => !(name in shown)) : [];
    return Object.entries(shown)
      .filter(([name]) => name !== "…")
      .flatMap(([name, one]) => unlike(one, (answer as Readonly<Record<string, unknown>>)[name], `${at}.${name}`))
      .concat(leftOut.map((name) => `${at}.${name} is not shown`));
  }
  return kindOf(shown, at) === kindOf(answer, at)
    ? []
    : [`${at}: the page shows ${shown}, and the answer is ${answer}`];
}

const isWhole = (shown: object): boolean => "id" in shown && "created_at" in shown && !("…" in shown);

/** Ids, instants and authorization codes are others each time. */
function kindOf(value: unknown, at: string): unknown {
  if (typeof value !== "string") return value;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return "an id";
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(value)) return "an instant";
  if (at.endsWith(".auth_code") && /^[A-Z0-9]{6}$/.test(value)) return "a code";
  if (/^sim-[0-9a-f]{24}$/.test(value)) return "the simulator's id";
  return value;
}

/**
 * The lines that the page shows and that were not printed in this order, and what it leaves out between the first and the last field of a
 * record. `…` stands for anything.
 */
export function missingLines(shown: string, printed: string): string[] {
  const printedLines = printed.split("\n");
  const lines = printedLines.map(plain);
  const found: number[] = [];
  const missing = shown.split("\n").filter((line) => {
    if (line.trim() === "") return false;
    const wanted = new RegExp(`^${RegExp.escape(plain(line)).replaceAll(/…|\\u2026/g, ".*")}$`);
    const at = lines.findIndex((one, index) => index > (found.at(-1) ?? -1) && wanted.test(one));
    if (at >= 0) found.push(at);
    return at < 0;
  });
  const isField = (index: number) => FIELD.test(printedLines[index] ?? "");
  const leftOut = found.flatMap((at, nth) => {
    const between = printedLines.slice(at + 1, found[nth + 1] ?? at + 1);
    return isField(at) && between.every((line) => FIELD.test(line)) ? between : [];
  });
  return [...missing, ...leftOut.map((line) => `not shown: ${line}`)];
}

/** A record's, as the command line prints it. */
const FIELD = /^ {2}[a-z][\w.]* {2,}\S/;

/** Without what is another each time, and whatever the width of a table's columns. */
const plain = (line: string): string =>
  line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<id>")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:]{8}(\.\d+)?(\+00:00|Z)/g, "<time>")
    .replaceAll(/\bfg_(test|live)_\w+/g, "<token of $1>")
    .replace(/^( *(?:entries|last|hash)) +\S+$/, "$1 <of this log>")
    .replaceAll(/(?<=127\.0\.0\.1):\d+/g, "")
    .replaceAll(/(?<=ready in )[\d.]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The last of the answers that were printed one behind the other, without a line end between them. */
export function lastJson(text: string): unknown {
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1))
    try {
      return JSON.parse(text.slice(at));
    } catch {
      // Not the last one, or within it.
    }
  throw new Error(`no JSON in what was printed: ${text}`);
}
