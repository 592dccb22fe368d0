// One command from its parameters to its exit code: whatever goes wrong is one line on stderr, and JSON for whoever asked for JSON.
import { CommanderError } from "commander";
import { codeOf } from "../journal/database.ts";
import { ChangeUncertain } from "../merchants/audit.ts";
import { AuditLogBroken } from "../merchants/audit-chain.ts";
import { StartFault } from "../start-fault.ts";
import { notesAsJson, tellFailure } from "./print.ts";
import { program } from "./program.ts";
import { type Failure, Refused } from "./refused.ts";

const FAILED = 1;
const USAGE = 2;

/** Sets the exit code of this process. @param start runs the gateway in it @throws what is a bug */
export async function run(parameters: readonly string[], start: () => Promise<unknown>): Promise<void> {
  const json = wantsJson(parameters);
  notesAsJson(json);
  try {
    await program(start).parseAsync(parameters, { from: "user" });
  } catch (fault) {
    if (fault instanceof CommanderError && fault.exitCode === 0) return; // help or version, as asked for
    const failure = failureOf(fault, json);
    process.exitCode = failure.exitCode;
    if (fault instanceof CommanderError && fault.code === "commander.help" && !json) return;
    tellFailure(failure, json);
  }
}

/** Also of a command line that is wrong, and of which nothing else is known. What follows `--` is no option. */
function wantsJson(parameters: readonly string[]): boolean {
  const end = parameters.indexOf("--");
  return parameters.slice(0, end === -1 ? parameters.length : end).includes("--json");
}

/** @throws the fault itself if it is a bug, whose stack is what helps a person */
function failureOf(fault: unknown, json: boolean): Failure {
  if (fault instanceof CommanderError) {
    const text = fault.code === "commander.help" ? "a subcommand is missing" : fault.message.replace(/^error: /, "");
    return { exitCode: USAGE, code: "wrong-command-line", text };
  }
  if (fault instanceof Refused) {
    const { message: text, usage, code, fields } = fault;
    return { exitCode: usage ? USAGE : FAILED, code, text, ...(fields && { fields }) };
  }
  const failed = (code: string, text: string): Failure => ({ exitCode: FAILED, code, text });
  if (fault instanceof StartFault) return failed("cannot-start", fault.message);
  if (fault instanceof AuditLogBroken) return failed("audit-log-broken", fault.message);
  if (fault instanceof ChangeUncertain)
    return failed("uncertain", `${fault.message}. It may have been made: check before you try again`);
  if (fault instanceof Error && codeOf(fault) !== "") return failed("database", `the database: ${fault.message}`);
  if (!json) throw fault;
  return failed("internal-error", fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
}
