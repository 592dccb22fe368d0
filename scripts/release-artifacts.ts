// What a release consists of, in one folder: packages, chart, image, bill of materials, notes and checksums. Of the same sources and version each
// file is the same to the byte, whoever makes it and where. Of the image that is so on the same base images.

import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { buildImage, type ImageOrder, writeImage } from "./image.ts";
import { gzipOf, tarOf } from "./packing.ts";

const ROOT = join(import.meta.dirname, "..");
const SUMS = "SHA256SUMS";

export interface ArtifactsOrder {
  readonly version: string;
  /** Absolute; it is there and empty. */
  readonly folder: string;
  /** The date of the release, in seconds since 1970. */
  readonly atSeconds: number;
}

/** `faregate-0.2.0.tgz`, and the client's package with its own version. */
export function packPackages({ folder, atSeconds }: ArtifactsOrder): void {
  for (const place of [".", "./packages/client"])
    execFileSync("npm", ["pack", place, "--silent", "--pack-destination", folder], { cwd: ROOT, stdio: "inherit" });
  // npm leaves files the rights that they have here, which depend on the mask of who checked them out.
  for (const archive of readdirSync(folder).filter((name) => name.endsWith(".tgz")))
    inTemporary((place) => {
      execFileSync("tar", ["-xzf", join(folder, archive), "-C", place, "--strip-components=1"]);
      writeFileSync(join(folder, archive), gzipOf(tarOf(place, "package", atSeconds)));
    });
}

/** `faregate-chart-0.2.0.tgz`, with the files that it only points to in the project. */
export function packChart({ version, folder, atSeconds }: ArtifactsOrder): void {
  const chart = tarOf(join(ROOT, "deploy/helm/faregate"), "faregate", atSeconds);
  writeFileSync(join(folder, `faregate-chart-${version}.tgz`), gzipOf(chart));
}

/** `faregate-0.2.0.oci.tar`: the list of images in OCI's layout, which `skopeo copy --all oci-archive:…` pushes anywhere. */
export function packImage(order: ArtifactsOrder, parts: Pick<ImageOrder, "buildImage" | "runImage" | "options">): void {
  const { version, folder, atSeconds } = order;
  const name = `localhost/faregate:${version}`;
  buildImage({ ...parts, name, platforms: ["linux/amd64", "linux/arm64"], atSeconds });
  inTemporary((layout) => {
    writeImage(name, layout, version);
    writeFileSync(join(folder, `faregate-${version}.oci.tar`), tarOf(layout, ".", atSeconds));
  });
}

export function writeBill({ version, folder, atSeconds }: ArtifactsOrder): void {
  writeFileSync(join(folder, `faregate-${version}.cdx.json`), billOfMaterials(ROOT, atSeconds));
}

/** `NOTES.md`: what the changelog says of this version. @param changes that part of it */
export function writeNotes({ version, folder }: ArtifactsOrder, changes: string): void {
  const files = readdirSync(folder).sort();
  const list = files.map((file) => `- \`${file}\``).join("\n");
  const check = `Check them with \`sha256sum --check ${SUMS}\`.`;
  writeFileSync(
    join(folder, "NOTES.md"),
    `# Faregate ${version}\n\n${changes.trim()}\n\n## Files\n\n${list}\n\n${check}\n`,
  );
}

/** As `sha256sum --check` reads them. */
export function writeSums({ folder }: ArtifactsOrder): void {
  const names = readdirSync(folder)
    .filter((name) => name !== SUMS)
    .sort();
  const lines = names.map((name) => `${hash("sha256", readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, SUMS), lines.join(""));
}

/** `SHA256SUMS.sig`, a signature of the checksums. @param key a private key of SSH's, or a public one whose private key an agent has */
export function signSums({ folder }: ArtifactsOrder, key: string): void {
  execFileSync("ssh-keygen", ["-Y", "sign", "-n", "file", "-f", key, join(folder, SUMS)], { stdio: "inherit" });
}

function inTemporary(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "faregate-release-"));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
