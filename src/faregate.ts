// The command line: what the operator can do over HTTP, for a terminal, and what comes before HTTP: the database's tables
// and the first operator token. It works on the database itself, whether a gateway runs or not. `start` runs the gateway.
import { CommanderError } from "commander";
import { program } from "./cli/program.ts";
import { Refused } from "./cli/refused.ts";
import { codeOf } from "./journal/database.ts";
import { ChangeUncertain } from "./merchants/audit.ts";
import { StartFault } from "./start-fault.ts";

const FAILED = 1;
const USAGE = 2;

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on("error", () => undefined);

try {
  await program(() => import("./main.ts")).parseAsync();
} catch (fault) {
  process.exitCode = report(fault);
}

/** One line for the person at the terminal. @returns the exit code */
function report(fault: unknown): number {
  if (fault instanceof CommanderError) {
    if (fault.exitCode === 0) return 0; // help or version, as asked for
    if (fault.code !== "commander.help") say(fault.message);
    return USAGE;
  }
  if (fault instanceof Refused) {
    say(`error: ${fault.message}`);
    return fault.usage ? USAGE : FAILED;
  }
  if (fault instanceof StartFault) say(`error: ${fault.message}`);
  else if (fault instanceof ChangeUncertain)
    say(`error: ${fault.message}. It may have been made: look, before you try again`);
  else if (fault instanceof Error && codeOf(fault) !== "") say(`error: the database: ${fault.message}`);
  else throw fault; // a bug: its stack is what helps
  return FAILED;
}

function say(text: string): void {
  process.stderr.write(`${text.replace(/\s*\n\s*/g, " ").trim()}\n`);
}
