// Values that a file of declared state does not hold itself: of environment variables, and of files beside it.

import { resolve } from "node:path";
import { textOfFile } from "../file-text.ts";
import { reasonOf } from "../start-fault.ts";
import { isObject } from "./file-schema.ts";

const MOST_BYTES = 64 * 1024;

export type Read =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "missing"; readonly why: string };

export interface Readings {
  /** Whether a secret that cannot be read stays as it is. */
  readonly keepsSecrets: boolean;
  isReference(value: unknown): boolean;
  read(reference: unknown): Read;
}

/** @param folder that paths are relative to */
export function readings(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  keepsSecrets: boolean,
): Readings {
  return {
    keepsSecrets,
    isReference: (value) => nameIn(value) !== undefined,
    read: (reference) => {
      const named = nameIn(reference);
      if (named === undefined) return { kind: "missing", why: "is no reference" };
      const [where, name] = named;
      if (where === "env") {
        const value = env[name];
        if (value === undefined)
          return { kind: "missing", why: `needs the environment variable ${name}, which is not set` };
        if (value === "") return { kind: "missing", why: `needs the environment variable ${name}, which is empty` };
        return { kind: "value", value };
      }
      try {
        // Without the line end that editors put at the end of a file.
        const value = textOfFile(resolve(folder, name), MOST_BYTES).replace(/\r?\n$/, "");
        if (value === "") return { kind: "missing", why: `needs the file ${name}, which is empty` };
        return { kind: "value", value };
      } catch (fault) {
        return { kind: "missing", why: `needs the file ${name}, which cannot be read: ${reasonOf(fault)}` };
      }
    },
  };
}

function nameIn(value: unknown): readonly ["env" | "file", string] | undefined {
  if (!isObject(value)) return undefined;
  const [[where, name] = [], ...more] = Object.entries(value);
  if (more.length > 0 || typeof name !== "string" || name === "" || (where !== "env" && where !== "file"))
    return undefined;
  return [where, name];
}
