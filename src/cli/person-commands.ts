// faregate person …: who can sign in.

import type { Command } from "commander";
import {
  changePerson,
  createOperator,
  createPerson,
  listPeople,
  removeSecondFactor,
  resetPassword,
  signPersonOut,
} from "../people/people.ts";
import type { CreatedPerson } from "../people/person.ts";
import { MERCHANT_ROLES, OPERATOR_ROLES, ROLES } from "../people/roles.ts";
import {
  type GivenId,
  group,
  HERE_ALREADY,
  idOf,
  idOptions,
  type Listed,
  leaf,
  list,
  type Output,
  pageOf,
  stated,
  tellOfMore,
} from "./command.ts";
import { withOffice, withPeople } from "./office.ts";
import { details, print, table } from "./print.ts";
import { listOf, orRefuse, orRefuseCreated, Refused } from "./refused.ts";

interface Given extends Output {
  readonly merchant?: string;
  readonly name?: string;
  readonly email?: string;
  readonly role?: string;
  readonly locked?: boolean;
}

const ROLE = `one of ${ROLES.join(", ")}`;

export function personCommands(faregate: Command): void {
  const records = group(faregate, "person", "People who sign in: operators, and people of merchants.");

  idOptions(
    leaf(
      records,
      "create",
      "Create a person. The first password is shown once.",
      "faregate person create --role operator --name 'Jane Doe' --email jane@example.com",
    ),
  )
    .requiredOption("--role <role>", `${ROLE}; the last three with --merchant`)
    .option("--merchant <id>", "the person's merchant; none for operators")
    .option("--name <name>", "1 to 255 characters")
    .option("--email <address>", "the address to sign in with")
    .action(async ({ json, merchant, name, email, role, ...given }: Given & GivenId) => {
      tellOfPlace(role, merchant);
      const input = stated({ name, email, role, ...idOf(given) });
      const created = await withPeople(async (office, author) =>
        orRefuseCreated(
          merchant === undefined
            ? await createOperator(office, author, input)
            : await createPerson(office, author, merchant, input),
        ),
      );
      print(json, { person: created.value }, () =>
        created.existed
          ? details(`${created.value.name} ${HERE_ALREADY}`, created.value)
          : withPassword(`${created.value.name} was created.`, created.value),
      );
    });

  list(records, "List the people who can sign in.", "faregate person list")
    .option("--merchant <id>", "only people of this merchant")
    .action(async (given: Listed & Given) => {
      const people = await withOffice(async ({ sql }) =>
        listOf(await listPeople(sql, pageOf(given), given.merchant), given.merchant ?? ""),
      );
      const rows = people.map((one) => [one.id, one.role, one.email, one.merchant_id, one.locked ? "locked" : ""]);
      const headings = ["id", "role", "e-mail", "merchant", ""];
      print(given.json, { people }, () =>
        table(
          headings,
          rows,
          `Nobody can sign in. Create an operator: faregate person create --role ${OPERATOR_ROLES[0]} …`,
        ),
      );
      tellOfMore(people);
    });

  leaf(records, "change <id>", "Change or lock a person.", "faregate person change 0193e5b0-… --locked")
    .option("--name <name>", "1 to 255 characters")
    .option("--role <role>", ROLE)
    .option("--locked", "sign the person out everywhere, and refuse new sign-ins")
    .option("--no-locked", "let the person sign in again")
    .action(async (id: string, { json, name, role, locked }: Given) => {
      const person = await withOffice(async (office, author) =>
        orRefuse(await changePerson(office, author, id, stated({ name, role, locked }))),
      );
      print(json, { person }, () => details(`${person.name} was changed.`, person));
    });

  leaf(
    records,
    "reset-password <id>",
    "Give a person a new first password, and end the wait after too many tries.",
    "faregate person reset-password 0193e5b0-…",
  ).action(async (id: string, { json }: Output) => {
    const person = await withPeople(async (office, author) => orRefuse(await resetPassword(office, author, id)));
    print(json, { person }, () => withPassword(`${person.name} has a new password.`, person));
  });

  leaf(records, "sign-out <id>", "Sign a person out everywhere.", "faregate person sign-out 0193e5b0-…").action(
    async (id: string, { json }: Output) => {
      const person = await withOffice(async (office, author) => orRefuse(await signPersonOut(office, author, id)));
      print(json, { person }, () => details(`${person.name} is signed out everywhere.`, person));
    },
  );

  leaf(
    records,
    "remove-second-factor <id>",
    "Remove the second factor of a person who lost it.",
    "faregate person remove-second-factor 0193e5b0-…",
  ).action(async (id: string, { json }: Output) => {
    const person = await withOffice(async (office, author) => orRefuse(await removeSecondFactor(office, author, id)));
    print(json, { person }, () => details(`${person.name} no longer has a second factor.`, person));
  });
}

/** @throws Refused if the role is not one of where the person is to be: that it "must be" another would lead astray */
function tellOfPlace(role: string | undefined, merchant: string | undefined): void {
  const isOneOf = (roles: readonly string[]) => role !== undefined && roles.includes(role);
  if (merchant === undefined && isOneOf(MERCHANT_ROLES))
    throw new Refused(`--role ${role} needs a merchant: name it with --merchant`, { usage: true });
  if (merchant !== undefined && isOneOf(OPERATOR_ROLES))
    throw new Refused(`--role ${role} has no merchant: leave --merchant out`, { usage: true });
}

const withPassword = (what: string, { password, ...person }: CreatedPerson): string =>
  `${details(what, person)}\n\nThe password for the first sign-in, which is not shown again:\n\n  ${password}`;
