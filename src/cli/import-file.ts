// Reads the file of an import. A setting of a processor record that is {"file": "…"} is read from that file, which keeps secrets
// out of this one. No message repeats what a file holds.
import { dirname, resolve } from "node:path";
import { textOfFile } from "../file-text.ts";
import type { PlaceProblems } from "../merchants/import/import.ts";
import { isObject } from "../merchants/import/read-records.ts";
import { reasonOf } from "../start-fault.ts";
import { nameTwice } from "../validation/name-twice.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import { Refused } from "./refused.ts";

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_A_SETTING = 64 * 1024;

/**
 * @param path `-` is what is piped in
 * @throws Refused if it cannot be read or is no JSON
 */
export const readJsonFile = (path: string): unknown => parsed(path, contentOf(path, MOST_BYTES));

/** @throws Refused if it cannot be read or is no JSON */
export function readImportFile(path: string): { readonly json: unknown; readonly problems: PlaceProblems } {
  const json = readJsonFile(path);
  const problems: [string, string][] = [];
  const folder = path === "-" ? process.cwd() : dirname(path);
  return { json: withFiles(json, folder, (place, problem) => void problems.push([place, problem])), problems };
}

/** For files of cards. @throws Refused also where a card number stands in place of a path, which no message is to repeat */
export function contentOfCards(path: string, mostBytes: number): string {
  if (/^\d[\d -]{6,}\d$/.test(path))
    throw new Refused("a card number must not be an argument, which others can see: name a file, or - for stdin", {
      usage: true,
    });
  return contentOf(path, mostBytes);
}

/** @throws Refused if it cannot be read, or is larger */
function contentOf(path: string, mostBytes: number): string {
  try {
    return textOfFile(path === "-" ? 0 : path, mostBytes);
  } catch (error) {
    throw new Refused(`cannot read the file ${path}: ${reasonOf(error)}`, { usage: true });
  }
}

function parsed(path: string, text: string): unknown {
  try {
    const json = JSON.parse(text, (name, value) => wellFormed(path, name) && wellFormed(path, value) && value);
    const twice = nameTwice(text);
    if (twice === undefined) return json;
    throw new Refused(`${path} has an object with the same name in it twice: ${shownName(twice)}`, { usage: true });
  } catch (error) {
    if (error instanceof Refused) throw error;
    // The parser's own message shows a piece of the text, and does not always say where.
    const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
    const before = text.slice(0, Number(position)).split("\n");
    const place = position === undefined ? "" : ` (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
    throw new Refused(`${path} is not JSON${place}`, { usage: true });
  }
}

/** PostgreSQL keeps no half characters. */
function wellFormed(path: string, value: unknown): true {
  if (typeof value !== "string" || value.isWellFormed()) return true;
  throw new Refused(`${path} has an escaped character (\\u…) that is only half of one`, { usage: true });
}

/** The same, with the settings that stand in files. What has another shape is left for others to find. */
function withFiles(json: unknown, folder: string, tell: (place: string, problem: string) => void): unknown {
  const each = (value: unknown, change: (fields: Record<string, unknown>, index: number) => object): unknown =>
    Array.isArray(value) ? value.map((one, index) => (isObject(one) ? change({ ...one }, index) : one)) : value;
  if (!isObject(json) || !("merchants" in json)) return json;
  const merchants = each(json.merchants, (merchant, of) => {
    if (!("processors" in merchant)) return merchant;
    const processors = each(merchant.processors, (record, index) => {
      const { settings } = record;
      if (!isObject(settings)) return record;
      const place = `merchants.${of}.processors.${index}.settings`;
      const read = Object.entries(settings).map(([name, value]) => [
        name,
        settingOf(value, folder, `${place}.${name}`, tell),
      ]);
      return { ...record, settings: Object.fromEntries(read) };
    });
    return { ...merchant, processors };
  });
  return { ...json, merchants };
}

function settingOf(value: unknown, folder: string, place: string, tell: (place: string, problem: string) => void) {
  if (!isObject(value) || typeof value.file !== "string" || Object.keys(value).length !== 1) return value;
  try {
    // Without the line end that editors put at the end of a file.
    return textOfFile(resolve(folder, value.file), MOST_BYTES_OF_A_SETTING).replace(/\r?\n$/, "");
  } catch (error) {
    tell(place, `cannot be read from the file ${value.file}: ${reasonOf(error)}`);
    return "";
  }
}
