// Where settings come from besides the environment itself: a file in systemd's syntax, and files that hold one secret each.

import { textOfFile } from "./file-text.ts";
import { reasonOf } from "./start-fault.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Each can be given as the path of a file with its value: DATABASE_URL_FILE and so on. FAREGATE_MASTER_KEY_FILE has a reader of its own. */
const FROM_FILES = ["DATABASE_URL", "FAREGATE_SECRET", "METRICS_TOKEN"] as const;

export const FILE_NAMES: readonly string[] = FROM_FILES.map((name) => `${name}_FILE`);

/** Of a file of settings. */
export const MOST_BYTES = 64 * 1024;

/** The values that files hold, without the line end behind them; and what is wrong with those that cannot be read. */
export function withFiles(env: Environment): { readonly env: Environment; readonly problems: readonly string[] } {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of FROM_FILES) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === "") continue;
    if (env[name]) {
      problems.push(`${name} and ${name}_FILE are both set: set only one of them`);
      continue;
    }
    try {
      found[name] = textOfFile(file, MOST_BYTES).replace(/\r?\n$/, "");
      if (found[name] === "") problems.push(`${name}_FILE names ${file}, which is empty`);
    } catch (error) {
      problems.push(`${name}_FILE names ${file}, which cannot be read: ${reasonOf(error)}`);
    }
  }
  return { env: Object.assign(Object.create(env), found), problems };
}

/** Where the reader is: systemd 252, src/basic/env-file.c. */
type Place = "before-name" | "name" | "before-value" | "value" | "single" | "double" | "comment";

/**
 * Reads a file as systemd reads its `EnvironmentFile=`: quotes, backslashes, continued lines, and no expansion of any kind.
 * @throws Error naming the line of an assignment without `=`, which systemd drops without a word
 */
export function readEnvironmentFile(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  let place: Place = "before-name";
  let [name, value, line] = ["", "", 1];
  /** Blanks at the end of an unquoted value do not count from here on. */
  let kept = 0;
  const end = (): void => {
    if (place === "name" && name.trim() !== "")
      throw new Error(`line ${line}: ${shownName(name)} has no value: write NAME=value`);
    if (place === "value" || place === "before-value") values[nameOf(name, line)] = value.slice(0, kept);
    [name, value, kept] = ["", "", 0];
    place = "before-name";
  };
  const add = (text: string): void => {
    value += text;
    if (text.trim() !== "") kept = value.length;
  };
  for (let at = 0; at < text.length; at++) {
    const one = text[at] ?? "";
    const escapes = one === "\\" && place !== "name" && place !== "single" && place !== "before-name";
    if (escapes) {
      const next = text[++at] ?? "";
      if (next === "\n") line++;
      else if (place === "comment") continue;
      else if (place === "double" && !'"\\`$'.includes(next)) value += `\\${next}`;
      else {
        value += next;
        if (place === "before-value") place = "value";
      }
      kept = value.length;
      continue;
    }
    switch (place) {
      case "before-name":
        if (one === "#" || one === ";") place = "comment";
        else if (one.trim() !== "") {
          place = "name";
          name = one;
        }
        break;
      case "name":
        if (one === "\n") end();
        else if (one === "=") place = "before-value";
        else name += one;
        break;
      case "before-value":
        if (one === "\n") end();
        else if (one === "'") place = "single";
        else if (one === '"') place = "double";
        else if (one.trim() !== "") {
          place = "value";
          add(one);
        }
        break;
      case "value":
        if (one === "\n") end();
        else add(one);
        break;
      case "single":
      case "double":
        if (one === (place === "single" ? "'" : '"')) place = "before-value";
        else value += one;
        kept = value.length;
        break;
      case "comment":
        if (one === "\n") place = "before-name";
        break;
    }
    if (one === "\n") line++;
  }
  if (place === "single" || place === "double") throw new Error(`the quotes of ${shownName(name)} are never closed`);
  end();
  return values;
}

function nameOf(name: string, line: number): string {
  const bare = name.trim();
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(bare))
    throw new Error(`line ${line}: ${shownName(bare)} is not the name of a variable`);
  return bare;
}

/** A secret may stand where a name should. */
const shownName = (name: string): string => JSON.stringify(name.trim().slice(0, 24));
