// `npm run release -- 0.2.0`: says what a release would do; with --do it does it. It ends before anything leaves this machine:
// docs/releasing.md has the commands that publish.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type ArtifactsOrder,
  packChart,
  packImage,
  packPackages,
  signSums,
  writeBill,
  writeNotes,
  writeSums,
} from "./release-artifacts.ts";
import { changesOf, obstaclesTo } from "./release-rules.ts";

const ROOT = join(import.meta.dirname, "..");
const boolean = { type: "boolean", default: false } as const;
const text = { type: "string" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ do: boolean, "without-tests": boolean, "without-image": boolean, "without-commit": boolean },
    ...{
      "signing-key": text,
      "build-image": text,
      "run-image": text,
      "image-option": { type: "string", multiple: true, default: [] },
    },
  },
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

const { version: current } = JSON.parse(read("package.json")) as { readonly version: string };
const changelog = read("CHANGELOG.md");
const obstacles = obstaclesTo({
  ...{ version, current, changelog },
  ...{ status: ask("git", "status", "--porcelain"), tags: ask("git", "tag").split("\n") },
});
for (const obstacle of obstacles) console.error(`Not yet: ${obstacle}`);
if (obstacles.length > 0) process.exit(1);

const { date, changes } = changesOf(version, changelog);
// The day of the release, and not the moment: two who make it get the same files.
const order: ArtifactsOrder = {
  version,
  folder: join(ROOT, folder),
  atSeconds: Date.parse(`${date}T00:00:00Z`) / 1_000,
};
const hasBuildah = spawnSync("buildah", ["--version"], { stdio: "ignore" }).status === 0;
const withImage = hasBuildah && !values["without-image"];
const image = {
  ...{ buildImage: values["build-image"], runImage: values["run-image"] },
  options: values["image-option"],
};

const signingKey = values["signing-key"];
const steps: readonly Step[] = [
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts"),
  replace("deploy/helm/faregate/Chart.yaml", /^(version|appVersion): .*$/gm, `$1: ${version}`),
  replace("deploy/compose.yaml", /^( +image: faregate:).*$/m, `$1${version}`),
  ...(values["without-tests"] ? [] : [run("npm", "run", "check"), run("npm", "test", "--", "--siege")]),
  { says: `make ${folder}/`, does: emptyFolder },
  { says: `npm pack, of the gateway and of packages/client, into ${folder}/`, does: () => packPackages(order) },
  { says: `the chart, into ${folder}/`, does: () => packChart(order) },
  ...(withImage
    ? [{ says: `the image for amd64 and arm64, by buildah, into ${folder}/`, does: () => packImage(order, image) }]
    : []),
  { says: `the bill of materials, into ${folder}/`, does: () => writeBill(order) },
  { says: `${folder}/NOTES.md`, does: () => writeNotes(order, changes) },
  { says: `${folder}/SHA256SUMS`, does: () => writeSums(order) },
  ...(signingKey === undefined
    ? []
    : [{ says: `${folder}/SHA256SUMS.sig, by ssh-keygen`, does: () => signSums(order, signingKey) }]),
  ...(values["without-commit"]
    ? []
    : [
        run("git", "commit", "--all", "--allow-empty", "--message", `release: ${version}`),
        run("git", "tag", "--annotate", `v${version}`, "--message", `Faregate ${version}`),
      ]),
];

for (const { says, does } of steps) {
  console.log(values.do ? `→ ${says}` : `would: ${says}`);
  if (values.do) does();
}
if (values["without-tests"]) console.log("No test was run (--without-tests).");
if (!withImage) console.log(`No image is made: ${hasBuildah ? "--without-image" : "buildah is not installed"}.`);
console.log(values.do ? `Made ${folder}/. To publish: docs/releasing.md` : "Nothing was done. To do it: add --do");

function emptyFolder(): void {
  rmSync(order.folder, { recursive: true, force: true });
  mkdirSync(order.folder, { recursive: true });
}
