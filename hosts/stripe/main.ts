// The host as a program: `npm run stripe-host`. It stops at SIGTERM and SIGINT, and may be killed at any time.

import { startControl } from "./control.ts";
import { startHost } from "./host.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";

const { rules, controlPort, ...options } = optionsOrExit(process.argv.slice(2));
const host = await startHost({ ...options, crash: () => process.kill(process.pid, "SIGKILL") });
for (const rule of rules) host.misbehave(rule);
const control = await startControl(host, controlPort);
console.log(`stripe host: gateways at http://127.0.0.1:${host.port}, control at http://127.0.0.1:${control.port}`);

for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    control.stop();
    void host.stop().then(() => process.exit(0));
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
