// faregate recovery …
import type { Command } from "commander";
import { type OpenOperation, type Recovery, releaseRecovery, showRecovery } from "../recovery/recovery.ts";
import { leaf, type Output } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { adoptCommand } from "./recovery-adopt-command.ts";
import { beginCommand } from "./recovery-begin-command.ts";
import { compareCommand } from "./recovery-compare-command.ts";
import { orRefuse, Refused } from "./refused.ts";

export function recoveryCommands(faregate: Command): void {
  const recovery = faregate
    .command("recovery")
    .description(
      "See and end recovery mode, in which gateways charge nothing since their database may be older than it was.",
    )
    .helpCommand(false);

  leaf(
    recovery,
    "show",
    "Show whether the gateways are in recovery mode, why, and what they would do with each open operation.",
    "faregate recovery show",
  ).action(async ({ json }: Output) => {
    const shown = await withOffice(({ sql }) => showRecovery(sql));
    print(json, { recovery: shown }, () => inWords(shown));
  });

  beginCommand(recovery);
  compareCommand(recovery);
  adoptCommand(recovery);

  leaf(
    recovery,
    "release",
    "End recovery mode. Gateways charge again within a second, reverse open charges, and repeat open follow-ups.",
    "faregate recovery release --evidence 'compared with the books of 2030-05-15'",
  )
    .requiredOption("--evidence <words>", "how you know what is missing, for the audit log")
    .action(async ({ json, evidence }: Output & { readonly evidence: string }) => {
      const released = await withOffice((office, author) => releaseRecovery(office, author, evidence));
      if (typeof released === "object") orRefuse(released);
      if (released === "standby") throw new Refused("this database is a standby: nothing can be written to it");
      if (released === "normal") throw new Refused("the gateways are not in recovery mode");
      print(json, { released: true }, () => "Recovery mode has ended. Gateways charge again within a second.");
    });
}

function inWords({ open, lost, ...facts }: Recovery): string {
  if (facts.mode === "normal") return "The gateways are not in recovery mode.";
  const parts = [details("The gateways charge nothing and ask no processor.", facts)];
  if (lost.length > 0)
    parts.push(`Operations that the database has lost: ${lost.length}${lost.length < 100 ? "" : " or more"}.`);
  parts.push(
    open.length === 0
      ? "No operation is open."
      : `Open operations, and what a gateway does with each after a release:\n\n${table(HEADINGS, open.map(row), "")}`,
  );
  return parts.join("\n\n");
}

const HEADINGS = ["event", "transaction", "operation", "amount", "processor", "created", "would"];

const row = (open: OpenOperation) => [
  open.event_id,
  open.transaction_id,
  open.event_type,
  `${open.amount} ${open.currency}`,
  open.processor_id,
  open.created_at,
  open.would,
];
