// The acquirer host as a program: `node acquirer/main.ts`. It stops at SIGTERM and SIGINT, and may be killed at any time.

import { startControl } from "./control.ts";
import { startHost } from "./host.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";

const { host: hostOptions, controlPort, rules } = optionsOrExit(process.argv.slice(2));
const host = await startHost({
  ...hostOptions,
  log: (line) => console.error(line),
  crash: () => process.kill(process.pid, "SIGKILL"),
});
for (const rule of rules) host.misbehave(rule);
const control = await startControl(host, controlPort);
console.log(
  `acquirer host: gateways at ${hostOptions.address}:${host.port}, control at http://127.0.0.1:${control.port}`,
);

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void Promise.all([control.stop(), host.stop()]).then(() => process.exit(0));
  });

function optionsOrExit(args: readonly string[]): Options {
  if (args.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  try {
    return parseOptions(args);
  } catch (fault) {
    console.error(`${fault instanceof Error ? fault.message : fault}\n\n${USAGE}`);
    process.exit(2);
  }
}
