// `--set name=value`: the text becomes what the kind's schema says the setting is. The schema checks it.

import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { CONCEALED } from "../merchants/kind-settings.ts";
import type { KindDescription } from "../processors/kind.ts";
import { reasonOf } from "../start-fault.ts";
import { nameTwice } from "../validation/name-twice.ts";
import { commaList } from "./command.ts";
import { Refused } from "./refused.ts";

/** Settings in the order in which they were given. */
export type SetTexts = readonly (readonly [name: string, text: string, source: "argument" | "file"])[];

/** Collects `latency_ms=50`, and `key=@file`, which keeps a secret off the command line. */
export function collectSetting(given: string, before: SetTexts = []): SetTexts {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  const text = given.slice(at + 1);
  const name = given.slice(0, at);
  return [...before, text.startsWith("@") ? [name, fileText(text.slice(1)), "file"] : [name, text, "argument"]];
}

/** Without the line end that editors put at the end of a file. `-` is what is piped in. */
function fileText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new InvalidArgumentError(`Cannot read the file ${path}: ${reasonOf(error)}.`);
  }
}

/** @throws Refused for a secret on the command line, which histories keep and others on the machine can see */
export function settingValues(kind: KindDescription | undefined, texts: SetTexts): Record<string, unknown> {
  for (const [name, text, source] of texts)
    if (source === "argument" && text !== CONCEALED && kind?.secretSettings.includes(name))
      throw new Refused(
        `--set ${name} is a secret, which the shell's history would keep: put it in a file and use ` +
          `--set ${name}=@file, or pipe it in with --set ${name}=@-`,
        { usage: true },
      );
  const properties = kind?.settingsSchema.properties as Readonly<Record<string, Typed>> | undefined;
  return Object.fromEntries(texts.map(([name, text]) => [name, typedValue(properties?.[name], text)]));
}

interface Typed {
  readonly type?: string;
  readonly items?: Typed;
}

function typedValue(schema: Typed | undefined, text: string): unknown {
  switch (schema?.type) {
    case "integer":
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "array":
      return commaList(text).map((part) => typedValue(schema.items, part));
    case "object":
      return parsed(text);
    default:
      return text;
  }
}

function parsed(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    // Left as a text, which no schema takes for an object.
    return nameTwice(text) === undefined ? json : text;
  } catch {
    return text;
  }
}
