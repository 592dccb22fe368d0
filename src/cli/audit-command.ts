// faregate audit
import { type Command, InvalidArgumentError, Option } from "commander";
import { type AuditFilter, auditLog } from "../merchants/audit-log.ts";
import { type KnownEntry, verifyAuditLog } from "../merchants/audit-verify.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output, Pick<AuditFilter, "actor" | "action" | "outcome" | "from" | "to"> {
  readonly of?: string;
}

export function auditCommand(faregate: Command): void {
  const audit = leaf(
    faregate,
    "audit",
    "Show the last 100 changes: who, what, when. With --json, also each record before and after.",
    "faregate audit --of 0193e5b0-…",
  )
    .option("--of <id>", "only changes to this merchant, user, token or processor", uuid)
    .option("--actor <text>", "only by actors whose name contains this, in upper or lower case", filled)
    .option("--action <text>", "only actions that begin with this: person, person.change", filled)
    .addOption(
      new Option("--outcome <outcome>", "only changes that were made, or only those that were refused").choices([
        "done",
        "refused",
      ]),
    )
    .option("--from <day or time>", "from this day or time on, UTC", (text) => instant(beginningOf(text)))
    .option("--to <day or time>", "up to and including this day or time, UTC", (text) => instant(endOf(text)))
    .action(async ({ json, of, ...filter }: Given) => {
      const entries = await withOffice(({ sql }) => auditLog(sql, { ...filter, subject: of?.toLowerCase() }));
      const rows = entries.map(({ at, actor, source, action, subject, outcome }) => [
        ...[at, actor, source, action, subject],
        outcome === "done" ? "" : outcome,
      ]);
      const headings = ["time", "actor", "source", "action", "subject", "outcome"];
      const asked = of !== undefined || Object.keys(filter).length > 0;
      print(json, { entries }, () => table(headings, rows, asked ? "No change matches." : "There are no changes yet."));
    });
  verifyCommand(audit);
}

function verifyCommand(audit: Command): void {
  leaf(
    audit,
    "verify",
    "Check that no entry of the audit log was changed, removed or added.",
    "faregate audit verify --known 117:5c0a…",
  )
    .option("--known <id:hash>", "the last entry of an earlier run, kept elsewhere: it must still be there", knownEntry)
    .action(async ({ known }: { readonly known?: KnownEntry }, command: Command) => {
      // Its parent has the same option, and commander gives it to the parent.
      const { json } = command.optsWithGlobals<Output>();
      const { anchor, findings } = await withOffice(async ({ sql, auditKey }) =>
        verifyAuditLog(sql, await auditKey(), known),
      );
      if (anchor === undefined && findings.length === 0)
        return print(
          json,
          NOTHING_YET,
          () => "There is nothing to verify yet: nothing was changed, and no gateway has started.",
        );
      if (anchor === undefined || findings.length > 0)
        throw new Refused(`the audit log was tampered with or damaged: ${findings.join("; ")}`);
      const { begun, found, removed, last, hash } = anchor;
      const result = { entries: last - removed, first: removed + 1, last, hash, begun, before_it_began: found };
      print(json, result, () => details("The audit log is intact.", result));
    });
}

const NOTHING_YET = { entries: 0, first: 1, last: 0, hash: "0".repeat(64), begun: null, before_it_began: 0 };

/** An unset variable of a script must not ask for everything. */
function filled(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

function instant(found: Date | undefined): Date {
  if (found === undefined) throw new InvalidArgumentError(`It must be ${PERIOD_ENDS}.`);
  return found;
}

function knownEntry(text: string): KnownEntry {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (id === undefined || hash === undefined)
    throw new InvalidArgumentError("It must be the number of an entry, a colon, and its hash.");
  return { id: Number(id), hash };
}
