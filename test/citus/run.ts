// `CITUS_URL=postgres://… npm run citus -- --cycles 50`: distributes that database, which must be empty, and runs the acceptance files
// and the journal's conformance suite there; on copies of a distributed database journeys, commands, writes that are given up, a node
// that stops, a shard that is moved, a worker that is killed, a coordinator that crashes, and the torture.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPool } from "../../src/journal/database.ts";
import { withGateway } from "../gateway-under-test.ts";
import { ACCEPTANCE } from "../runner/arguments.ts";

/** What has statements of its own, over all merchants or one. */
const JOURNEYS = [
  ...[
    "adyen",
    "asynchronous-processor",
    "batches",
    "cards",
    "cards-charged",
    "cards-kept-elsewhere",
    "database-role",
    "disputes",
    "disputes-by-hand",
    "keeping",
    "listing",
    "listing-csv",
    "operator-audit",
  ],
  ...["operator-unresolved", "reconcile", "reconcile-settled", "resolutions", "settlement", "stripe", "webhooks"],
].map((name) => `test/journeys/${name}.test.ts`);
const OTHERS = [
  ...["src/archive/archive.test.ts", "src/archive/cut-off.test.ts", "src/cli/import.test.ts"],
  "src/cli/rotate-keys.test.ts",
  ...["src/cli/card-commands.test.ts", "src/archive/erase-cards.test.ts", "src/gateway/new-cards.test.ts"],
  ...["src/settlement/overview.test.ts", "src/journal/trace-numbers.test.ts", "test/citus/commands.ts"],
  ...["src/webhooks/one-after-the-other.test.ts", "src/webhooks/outbox.test.ts"],
];

/** What breaks, or is made to. */
const BROKEN = ["given-up", "stopped-node", "moving", "away", "due-while-away", "crash"].map(
  (name) => `test/citus/${name}.ts`,
);

const { cycles } = parseArgs({ options: { cycles: { type: "string", default: "50" } } }).values;
const url = process.env.CITUS_URL;
if (url === undefined) {
  console.error(
    "Set CITUS_URL to an empty database with Citus and its workers, for example postgres://me@127.0.0.1/faregate",
  );
  process.exit(2);
}
const pool = openPool(url);
const [found] = await pool`select to_regclass('transactions') is not null as there`;
await pool.end();
if (found?.there) {
  console.error(
    "The database that CITUS_URL names has tables already: create an empty one, with Citus and its workers.",
  );
  process.exit(2);
}
process.env.DATABASE_URL = url;
process.env.FAREGATE_MODE = "sandbox";
/** The same each time, since the database keeps which it was used with. */
process.env.FAREGATE_SECRET = "ab".repeat(32);

const ROOT = join(import.meta.dirname, "../..");
/** Several times what they take on a busy machine. */
const LONGEST_TESTS_MS = 20 * 60_000;
/** Not `spawnSync`: a gateway stops when nobody reads what it prints. @param timeout 0: none */
const node = async (parameters: readonly string[], timeout = 0): Promise<boolean> => {
  const child = spawn(process.execPath, parameters, { cwd: ROOT, stdio: "inherit", timeout });
  const [code, signal] = await once(child, "exit");
  if (signal !== null) console.error(`Ended by ${signal}: ${parameters.join(" ")}`);
  return code === 0;
};
const tested = (...files: string[]): Promise<boolean> =>
  node(["--test", "--test-isolation=none", "--test-reporter=spec", ...files], LONGEST_TESTS_MS);

const distributed = await node(["src/faregate.ts", "migrate", "--distribute"]);
const files = globSync("*.test.mjs", { cwd: ACCEPTANCE }).map((file) => join(ACCEPTANCE, file));
if (files.length === 0) console.log(`The acceptance files were not run: there are none in ${ACCEPTANCE}.`);
const accepted =
  files.length === 0 ||
  (distributed &&
    (await withGateway(async (sandboxFile) => {
      process.env.FAREGATE_SANDBOX = sandboxFile;
      return tested(...files.sort());
    })));
// It removes the rows of all merchants, so it comes last.
const journal = distributed && (await tested("test/citus/journal.ts"));
const journeys = distributed && (await tested(...JOURNEYS, ...OTHERS));
const broken = distributed && (await tested(...BROKEN));
const torture = ["test/torture/run.ts", "--cycles", cycles, "--kinds", "iso8583,simulator"];
const tortured = distributed && (await node(torture));
process.exit(distributed && accepted && journal && journeys && broken && tortured ? 0 : 1);
