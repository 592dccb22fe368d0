// `npm run release -- 0.2.0`: says what a release would do; with --do it does it. It ends before anything leaves this machine:
// docs/releasing.md has the two commands that publish.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { obstaclesTo } from "./release-rules.ts";

const ROOT = join(import.meta.dirname, "..");
const boolean = { type: "boolean", default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { do: boolean, "without-tests": boolean },
});
const [version = ""] = positionals;
const folder = join("release", version);

interface Step {
  readonly says: string;
  readonly does: () => void;
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const ask = (program: string, ...words: string[]): string =>
  execFileSync(program, words, { cwd: ROOT, encoding: "utf8" });
const run = (program: string, ...words: string[]): Step => ({
  says: [program, ...words].join(" "),
  does: () => execFileSync(program, words, { cwd: ROOT, stdio: "inherit" }),
});
const replace = (file: string, pattern: RegExp, by: string): Step => ({
  says: `${version} into ${file}`,
  does: () => writeFileSync(join(ROOT, file), read(file).replace(pattern, by)),
});

const steps: readonly Step[] = [
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts"),
  replace("deploy/helm/faregate/Chart.yaml", /^(version|appVersion): .*$/gm, `$1: ${version}`),
  replace("deploy/compose.yaml", /^( +image: faregate:).*$/m, `$1${version}`),
  run("npm", "run", "check"),
  ...(values["without-tests"] ? [] : [run("npm", "test", "--", "--siege")]),
  { says: `make ${folder}/`, does: () => void mkdirSync(join(ROOT, folder), { recursive: true }) },
  run("npm", "pack", "--pack-destination", folder),
  { says: `npm run sbom, into ${folder}/`, does: writeBill },
  { says: `${folder}/SHA256SUMS`, does: writeSums },
  run("git", "commit", "--all", "--message", `release: ${version}`),
  run("git", "tag", "--annotate", `v${version}`, "--message", `Faregate ${version}`),
];

const { version: current } = JSON.parse(read("package.json")) as { readonly version: string };
const obstacles = obstaclesTo({
  ...{ version, current, changelog: read("CHANGELOG.md") },
  ...{ status: ask("git", "status", "--porcelain"), tags: ask("git", "tag").split("\n") },
});
for (const obstacle of obstacles) console.error(`Not yet: ${obstacle}`);
if (obstacles.length > 0) process.exit(1);

for (const { says, does } of steps) {
  console.log(values.do ? `→ ${says}` : `would: ${says}`);
  if (values.do) does();
}
if (values["without-tests"]) console.log("No test was run (--without-tests).");
console.log(values.do ? `Made ${folder}/. To publish: docs/releasing.md` : "Nothing was done. To do it: add --do");

function writeBill(): void {
  ask("npm", "run", "sbom");
  writeFileSync(join(ROOT, folder, `faregate-${version}.cdx.json`), read("sbom.json"));
}

/** As `sha256sum --check` reads them. */
function writeSums(): void {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name !== "SHA256SUMS");
  const lines = names.map((name) => {
    const sum = createHash("sha256")
      .update(readFileSync(join(ROOT, folder, name)))
      .digest("hex");
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(ROOT, folder, "SHA256SUMS"), lines.join(""));
}
