// `npm run image`: builds deploy/Dockerfile with buildah for one or several kinds of processor, as one image list. Built of the same commit
// on the same base images by the same buildah, what is pushed in OCI's format is the same to the byte. With `--push` it goes to a registry, and cosign signs it where cosign is there.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { billOfMaterials } from "./bill-of-materials.ts";
import { commitSeconds } from "./packing.ts";

const ROOT = join(import.meta.dirname, "..");

export interface ImageOrder {
  /** Of the list, with its tag. The image of each platform has `-amd64` and so on behind it. */
  readonly name: string;
  /** `linux/amd64` and so on. */
  readonly platforms: readonly string[];
  /** Instead of the Dockerfile's own. `{arch}` becomes `amd64` and so on. */
  readonly buildImage?: string | undefined;
  readonly runImage?: string | undefined;
  /** The date of every file in it, in seconds since 1970. */
  readonly atSeconds: number;
  /** Further options of `buildah build`. */
  readonly options?: readonly string[];
}

const archOf = (platform: string): string => platform.split("/").slice(1).join("-");

/**
 * Builds the images and the list of them, in the machine's image store. What is built is the same for every platform, and stays there for the
 * next build. The images themselves are copied in one layer, without a history: that would name intermediate images, each by a random number.
 * @returns the images' names, one for each platform
 */
export function buildImage({ name, platforms, buildImage, runImage, atSeconds, options = [] }: ImageOrder): string[] {
  const asked = ["info", "--format", "{{.host.os}}/{{.host.arch}}"];
  const builder = execFileSync("buildah", asked, { encoding: "utf8" }).trim();
  const build = (tag: string, given: Readonly<Record<string, string | undefined>>, ...more: readonly string[]) =>
    buildah(
      // Docker's format has a place for the health check, OCI's has none.
      ...["build", "--timestamp", `${atSeconds}`, "--format", "docker", ...more, ...options],
      ...Object.entries({ BUILDPLATFORM: builder, ...given }).flatMap(([key, value]) =>
        value === undefined ? [] : ["--build-arg", `${key}=${value}`],
      ),
      ...["--tag", tag, "--file", "deploy/Dockerfile", "."],
    );
  const built = `${name}-build`;
  build(built, { BUILD_IMAGE: buildImage?.replaceAll("{arch}", archOf(builder)) }, "--layers", "--target", "build");
  const images = platforms.map((platform) => {
    const arch = archOf(platform);
    const image = `${name}-${arch}`;
    const given = { BUILD_IMAGE: buildImage, RUN_IMAGE: runImage?.replaceAll("{arch}", arch) };
    const context = `build=container-image://${platform === builder ? built : relabelled(built, platform)}`;
    build(image, given, "--layers=false", "--omit-history", "--build-context", context, "--platform", platform);
    return image;
  });
  try {
    execFileSync("buildah", ["manifest", "rm", name], { stdio: "ignore" });
  } catch {
    // There was none of an earlier build.
  }
  buildah("manifest", "create", name, ...images);
  return images;
}

/** What was built is files alone; but for an image of a platform buildah takes files from images of that platform only. @returns its name */
function relabelled(built: string, platform: string): string {
  const [os = "", arch = "", variant = ""] = platform.split("/");
  const container = execFileSync("buildah", ["from", "--pull-never", built], { encoding: "utf8" }).trim();
  buildah("config", "--os", os, "--arch", arch, ...(variant === "" ? [] : ["--variant", variant]), container);
  buildah("commit", "--quiet", "--rm", container, `${built}-${archOf(platform)}`);
  return `${built}-${archOf(platform)}`;
}

/** Writes the list and its images as a folder in OCI's layout. */
export const writeImage = (name: string, folder: string, tag: string): void =>
  buildah("manifest", "push", "--all", "--format", "oci", name, `oci:${folder}:${tag}`);

function buildah(...words: string[]): void {
  // What it says is for people, not part of a script's result.
  execFileSync("buildah", words, { cwd: ROOT, stdio: ["ignore", 2, 2] });
}

/** @returns its name by digest, which cosign signs */
function push(name: string, target: string, options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "faregate-image-"));
  try {
    const file = join(folder, "digest");
    buildah("manifest", "push", "--all", "--digestfile", file, ...options, name, `docker://${target}`);
    return `${target.replace(/:[^:/]+$/, "")}@${readFileSync(file, "utf8").trim()}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Signs the image and, as an attestation, its bill of materials. With a key, or by the identity that cosign asks for. */
function sign(image: string, key: string | undefined, options: readonly string[]): void {
  const by = key === undefined ? options : ["--key", key, ...options];
  const folder = mkdtempSync(join(tmpdir(), "faregate-bill-"));
  try {
    const bill = join(folder, "faregate.cdx.json");
    writeFileSync(bill, billOfMaterials(ROOT, commitSeconds()));
    const cosign = (...words: string[]) => execFileSync("cosign", words, { stdio: ["inherit", 2, 2] });
    cosign("sign", "--yes", "--recursive", ...by, image);
    cosign("attest", "--yes", ...by, "--type", "cyclonedx", "--predicate", bill, image);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main(): void {
  const text = { type: "string" } as const;
  const several = { type: "string", multiple: true, default: [] as string[] } as const;
  const { values } = parseArgs({
    options: {
      ...{ name: { ...text, default: "localhost/faregate:latest" }, platform: several, "build-image": text },
      ...{ "run-image": text, option: several, push: text, "push-option": several, sign: { type: "boolean" } },
      ...{ key: text, "sign-option": several },
    },
  });
  const platforms = values.platform.length > 0 ? values.platform : ["linux/amd64", "linux/arm64"];
  const bases = { buildImage: values["build-image"], runImage: values["run-image"] };
  const images = buildImage({
    ...{ name: values.name, platforms, ...bases, atSeconds: commitSeconds(), options: values.option },
  });
  console.log(`Built ${values.name}: ${images.join(", ")}`);
  if (values.push === undefined) return;
  const pushed = push(values.name, values.push, values["push-option"]);
  console.log(`Pushed ${pushed}`);
  if (!values.sign) return;
  sign(pushed, values.key, values["sign-option"]);
  console.log(`Signed ${pushed}`);
}

if (import.meta.main)
  try {
    main();
  } catch (fault) {
    const { code, path } = fault as { readonly code?: string; readonly path?: string };
    console.error(code === "ENOENT" ? `${path} is not installed. docs/images.md says what is needed.` : String(fault));
    process.exitCode = 1;
  }
