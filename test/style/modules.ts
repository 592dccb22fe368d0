// The modules of this project and what they import from each other, read as text: for rules that no linter holds.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const GENERATED = "packages/client/src/openapi.ts";

export interface Module {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly path: string;
  readonly names: readonly string[];
}

export function readModules(): ReadonlyMap<string, Module> {
  const paths = globSync("{src,test,bench,acquirer,hosts,packages/*/src}/**/*.ts", { cwd: ROOT }).filter(
    (path) => path !== GENERATED,
  );
  return new Map(paths.map((path) => [path, moduleAt(path)]));
}

const FROM = /^(?:import|export) (?:type )?(?:\{([^}]*)\}|[^"';]*?) from "(\.[^"]+)";/gm;
/** For what it does, or only when it is needed. */
const NAMELESS = /^import "(\.[^"]+)";|\bawait import\("(\.[^"]+)"\)/gm;

function moduleAt(path: string): Module {
  const text = readFileSync(join(ROOT, path), "utf8");
  const placed = (to: string) => normalize(join(dirname(path), to));
  const named = [...text.matchAll(FROM)].map(([, names = "", to = ""]) => ({
    path: placed(to),
    names: names.split(",").flatMap((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1] ?? []),
  }));
  return {
    path,
    text,
    imports: [
      ...named,
      ...[...text.matchAll(NAMELESS)].map(([, bare, late = ""]) => ({ path: placed(bare ?? late), names: [] })),
    ],
  };
}

/** What runs with the gateway. */
export const isProduction = (path: string): boolean => path.startsWith("src/") && !path.endsWith(".test.ts");

/** `src/payment` of all that lies in it; the files beside the rooms are one more. */
export const roomOf = (path: string): string => path.split("/").slice(0, -1).slice(0, 2).join("/");
