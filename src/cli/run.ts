// One command from its parameters to its exit code: whatever goes wrong is one line on stderr.
import { CommanderError } from "commander";
import { codeOf } from "../journal/database.ts";
import { ChangeUncertain } from "../merchants/audit.ts";
import { AuditLogBroken } from "../merchants/audit-chain.ts";
import { printable } from "../printable.ts";
import { StartFault } from "../start-fault.ts";
import { program } from "./program.ts";
import { Refused } from "./refused.ts";

const FAILED = 1;
const USAGE = 2;

/** Sets the exit code of this process. @param start runs the gateway in it @throws what is a bug */
export async function run(parameters: readonly string[], start: () => Promise<unknown>): Promise<void> {
  try {
    await program(start).parseAsync(parameters, { from: "user" });
  } catch (fault) {
    process.exitCode = report(fault);
  }
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
  if (fault instanceof StartFault || fault instanceof AuditLogBroken) say(`error: ${fault.message}`);
  else if (fault instanceof ChangeUncertain)
    say(`error: ${fault.message}. It may have been made: check before you try again`);
  else if (fault instanceof Error && codeOf(fault) !== "") say(`error: the database: ${fault.message}`);
  else throw fault; // its stack is what helps
  return FAILED;
}

function say(text: string): void {
  process.stderr.write(`${printable(text.replace(/\s*\n\s*/g, " ").trim())}\n`);
}
