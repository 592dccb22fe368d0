// `npm run sbom` writes `sbom.json`, or the file that is named.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { commitSeconds } from "./packing.ts";

const ROOT = join(import.meta.dirname, "..");
writeFileSync(process.argv[2] ?? join(ROOT, "sbom.json"), billOfMaterials(ROOT, commitSeconds()));
