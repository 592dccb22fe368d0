// Writes `sbom.json`: everything that is installed to run (CycloneDX). By npm itself, without --omit dev: npm 11 then leaves out what is
// installed to run and needed by developers, too.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

interface Bill {
  components: { "bom-ref": string; properties?: { name: string; value: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const ROOT = join(import.meta.dirname, "..");
const DEVELOPMENT = "cdx:npm:package:development";

const text = execFileSync(
  "npm",
  ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"],
  {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const bill = JSON.parse(text) as Bill;
const isDevelopers = ({ properties = [] }: Bill["components"][number]) =>
  properties.some(({ name }) => name === DEVELOPMENT);
const gone = new Set(bill.components.filter(isDevelopers).map((one) => one["bom-ref"]));
bill.components = bill.components.filter((one) => !isDevelopers(one));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => !gone.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, ...(dependsOn && { dependsOn: dependsOn.filter((one) => !gone.has(one)) }) }));
writeFileSync(process.argv[2] ?? join(ROOT, "sbom.json"), `${JSON.stringify(bill, null, 2)}\n`);
