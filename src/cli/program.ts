// All commands under one name, and what they have in common.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { MOST_BYTES, readEnvironmentFile } from "../environment.ts";
import { textOfFile } from "../file-text.ts";
import { reasonOf } from "../start-fault.ts";
import { applyCommand } from "./apply-command.ts";
import { archiveCommands } from "./archive-commands.ts";
import { auditCommand } from "./audit-command.ts";
import { backupCommands } from "./backup-command.ts";
import { batchCommands } from "./batch-commands.ts";
import { cardCommands } from "./card-commands.ts";
import { cardTestingCommands } from "./card-testing-commands.ts";
import { clockCommand } from "./clock-command.ts";
import { describeMessageCommand } from "./describe-message-command.ts";
import { disputeCommands } from "./dispute-commands.ts";
import { eraseCommand } from "./erase-command.ts";
import { exportCommand } from "./export-command.ts";
import { importCommand } from "./import-command.ts";
import { keyCommands } from "./key-commands.ts";
import { ledgerCommand } from "./ledger-command.ts";
import { merchantCommands, userCommands } from "./merchant-commands.ts";
import { migrateCommand } from "./migrate-command.ts";
import { notificationsCommand } from "./notifications-command.ts";
import { personCommands } from "./person-commands.ts";
import { planCommands } from "./plan-commands.ts";
import { processorCommands } from "./processor-commands.ts";
import { reconcileCommand } from "./reconcile-command.ts";
import { recoveryCommands } from "./recovery-commands.ts";
import { Refused } from "./refused.ts";
import { routingCommands } from "./routing-commands.ts";
import { operatorTokenCommands, tokenCommands } from "./token-commands.ts";
import { unresolvedCommands } from "./unresolved-commands.ts";
import { webhookCommands } from "./webhook-commands.ts";

/** @param start runs the gateway in this process */
export function program(start: () => Promise<unknown>): Command {
  const faregate = new Command("faregate")
    .description("Start a Faregate payment gateway, and set up its database, operators and merchants.")
    .version(version(), "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .option("--env-file <file>", "take settings from this file, in the syntax of systemd's EnvironmentFile")
    .hook("preAction", (_, action) => takeEnvironment(action.optsWithGlobals().envFile))
    .helpCommand(false)
    // Faults are reported in one place, faregate.ts.
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .addHelpText(
      "after",
      `
To try it in a sandbox:
  $ faregate start

To set up a gateway with your own database:
  $ export DATABASE_URL=postgres://faregate:…@db.example.com/faregate
  $ export FAREGATE_SECRET=$(openssl rand -base64 32)
  $ faregate migrate
  $ faregate operator-token create --name Jane
  $ faregate start

With the settings of a systemd unit:
  $ sudo faregate --env-file /etc/faregate/environment unresolved

Without DATABASE_URL, commands work on the sandbox in the data folder (FAREGATE_DATA); only start makes one.
DATABASE_URL, FAREGATE_SECRET and METRICS_TOKEN can be files: set DATABASE_URL_FILE and so on to their paths.
Exit codes: 0 success; 1 failure; 2 wrong command line.`,
    );
  faregate
    .command("start")
    .description("Start the gateway with the settings in the environment; without any, a sandbox.")
    .action(async () => void (await start()));
  for (const add of [
    migrateCommand,
    operatorTokenCommands,
    personCommands,
    merchantCommands,
    userCommands,
    tokenCommands,
    processorCommands,
    routingCommands,
    applyCommand,
    exportCommand,
    importCommand,
    cardCommands,
    cardTestingCommands,
    webhookCommands,
    auditCommand,
    unresolvedCommands,
    notificationsCommand,
    disputeCommands,
    planCommands,
    ledgerCommand,
    batchCommands,
    clockCommand,
    reconcileCommand,
    backupCommands,
    recoveryCommands,
    archiveCommands,
    eraseCommand,
    describeMessageCommand,
    keyCommands,
  ])
    add(faregate);
  return faregate;
}

/** What the file says goes before what the environment says, as with systemd. */
function takeEnvironment(file: string | undefined): void {
  if (file === undefined) return;
  try {
    Object.assign(process.env, readEnvironmentFile(textOfFile(file, MOST_BYTES)));
  } catch (fault) {
    throw new Refused(`cannot read the environment file ${file}: ${reasonOf(fault)}`, { usage: true });
  }
}

function version(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
