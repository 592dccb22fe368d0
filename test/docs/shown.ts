// What a page of the docs shows as code, and whether an answer is the one that it shows.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Block {
  /** The word after the three backticks; "" without one. */
  readonly language: string;
  readonly text: string;
}

/** @param page from the project's folder: `docs/quickstart.md` */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(import.meta.dirname, "../..", page), "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", inner = ""]) => ({
    language,
    text: inner,
  }));
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

/** What the page shows and the answer has not, by place. The answer may have more: pages shorten. */
export function unlike(shown: unknown, answer: unknown, at = ""): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answer)) return [`${at} is no list`];
    return shown.flatMap((one, index) => unlike(one, answer[index], `${at}.${index}`));
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof answer !== "object" || answer === null) return [`${at} is no object`];
    return Object.entries(shown).flatMap(([name, one]) =>
      unlike(one, (answer as Readonly<Record<string, unknown>>)[name], `${at}.${name}`),
    );
  }
  return kindOf(shown, at) === kindOf(answer, at)
    ? []
    : [`${at}: the page shows ${shown}, and the answer is ${answer}`];
}

/** Ids, instants and authorization codes are others each time. */
function kindOf(value: unknown, at: string): unknown {
  if (typeof value !== "string") return value;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return "an id";
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(value)) return "an instant";
  if (at.endsWith(".auth_code") && /^[A-Z0-9]{6}$/.test(value)) return "a code";
  if (/^sim-[0-9a-f]{24}$/.test(value)) return "the simulator's id";
  return value;
}
