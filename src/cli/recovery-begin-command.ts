// faregate recovery begin
import type { Command } from "commander";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { beginRecovery, gatewaysHalted } from "../recovery/begin.ts";
import { leaf, type Output, timeOf } from "./command.ts";
import { withOffice } from "./office.ts";
import { print, progress } from "./print.ts";
import { orRefuse, Refused } from "./refused.ts";

interface Given extends Output {
  readonly evidence: string;
  readonly lostSince?: Date;
}

export function beginCommand(recovery: Command): void {
  leaf(
    recovery,
    "begin",
    "Begin recovery mode, if the database was put back to a moment in the past and no gateway has noticed. Gateways charge nothing until it ends.",
    "faregate recovery begin --evidence 'disk of 14:00' --lost-since 2030-05-15T14:00:00Z",
  )
    .requiredOption("--evidence <words>", "how you know that the database is older than it was, for the audit log")
    .option(
      "--lost-since <time>",
      "what was done since then is missing; by default since the newest transaction",
      timeOf,
    )
    .action(async ({ json, evidence, lostSince }: Given) => {
      const begun = await withOffice((office, author) => begunBy(office, author, evidence, lostSince));
      if (!begun) throw new Refused("the gateways are in recovery mode already");
      print(
        json,
        { begun: true },
        () => "Recovery mode has begun: gateways charge nothing until faregate recovery release.",
      );
    });
}

/** For commands that need recovery mode. What they say about it goes to stderr. */
export async function beginUnnoticed(
  office: Backoffice,
  author: Author,
  evidence: string,
  lostSince?: Date,
): Promise<void> {
  if (await begunBy(office, author, evidence, lostSince))
    progress(
      "No gateway had noticed that the database is older than it was. Recovery mode has begun: " +
        "gateways charge nothing until faregate recovery release.",
    );
}

/** @returns false: it was in force */
async function begunBy(office: Backoffice, author: Author, evidence: string, lostSince?: Date): Promise<boolean> {
  const begun = await beginRecovery(office, author, evidence, lostSince);
  if (typeof begun === "object") return orRefuse(begun);
  if (begun === "standby") throw new Refused("this database is a standby: nothing can be written to it");
  if (!(await gatewaysHalted(office)))
    throw new Refused(
      "recovery mode has begun, and after a minute a gateway still asks processors about open operations: repeat the command in a minute",
    );
  return begun === "begun";
}
