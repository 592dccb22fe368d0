// The bill of materials in CycloneDX: everything that is installed to run. By npm itself, without --omit dev: npm 11 then leaves out what is
// installed to run and needed by developers, too. The same for the same commit: npm gives each a number of its own and the time it was made.

import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Bill {
  serialNumber: string;
  readonly metadata: { timestamp: string; readonly component: { name: string } };
  components: { readonly "bom-ref": string; readonly properties?: readonly { readonly name: string }[] }[];
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const DEVELOPMENT = "cdx:npm:package:development";

/** @param folder with package.json and package-lock.json @param atSeconds since 1970 */
export function billOfMaterials(folder: string, atSeconds: number): string {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  const bill = JSON.parse(
    execFileSync("npm", words, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  ) as Bill;
  const isDevelopers = ({ properties = [] }: Bill["components"][number]) =>
    properties.some(({ name }) => name === DEVELOPMENT);
  const gone = new Set(bill.components.filter(isDevelopers).map((one) => one["bom-ref"]));
  bill.components = bill.components.filter((one) => !isDevelopers(one));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => !gone.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, ...(dependsOn && { dependsOn: dependsOn.filter((one) => !gone.has(one)) }) }));
  // npm calls it after the folder.
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly name: string };
  bill.metadata.component.name = name;
  bill.metadata.timestamp = new Date(atSeconds * 1_000).toISOString();
  bill.serialNumber = "";
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** RFC 9562, version 8: of a hash of one's own choice. */
function uuidOf(text: string): string {
  const digits = [...hash("sha256", text).slice(0, 32)];
  digits[12] = "8";
  digits[16] = "89ab"[Number.parseInt(digits[16] ?? "0", 16) % 4] ?? "8";
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
