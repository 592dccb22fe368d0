// All commands under one name, and what they have in common.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { archiveCommands } from "./archive-commands.ts";
import { auditCommand } from "./audit-command.ts";
import { batchCommands } from "./batch-commands.ts";
import { cardTestingCommands } from "./card-testing-commands.ts";
import { clockCommand } from "./clock-command.ts";
import { describeMessageCommand } from "./describe-message-command.ts";
import { disputeCommands } from "./dispute-commands.ts";
import { eraseCommand } from "./erase-command.ts";
import { importCommand } from "./import-command.ts";
import { keyCommands } from "./key-commands.ts";
import { ledgerCommand } from "./ledger-command.ts";
import { merchantCommands, userCommands } from "./merchant-commands.ts";
import { migrateCommand } from "./migrate-command.ts";
import { notificationsCommand } from "./notifications-command.ts";
import { personCommands } from "./person-commands.ts";
import { processorCommands } from "./processor-commands.ts";
import { reconcileCommand } from "./reconcile-command.ts";
import { recoveryCommands } from "./recovery-commands.ts";
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

Without DATABASE_URL, commands work on the sandbox in the data folder (FAREGATE_DATA).
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
    importCommand,
    cardTestingCommands,
    webhookCommands,
    auditCommand,
    unresolvedCommands,
    notificationsCommand,
    disputeCommands,
    ledgerCommand,
    batchCommands,
    clockCommand,
    reconcileCommand,
    recoveryCommands,
    archiveCommands,
    eraseCommand,
    describeMessageCommand,
    keyCommands,
  ])
    add(faregate);
  return faregate;
}

function version(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
