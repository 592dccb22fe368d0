// The command line: what the operator can do over HTTP, for a terminal, and what comes before HTTP: the database's tables
// and the first operator token. It works on the database itself, whether a gateway runs or not. `start` runs the gateway.
import "./debugger-signal.ts";
import { run } from "./cli/run.ts";

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on("error", () => undefined);

await run(process.argv.slice(2), () => import("./main.ts"));
