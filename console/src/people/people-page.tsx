// Who can sign in: operators, and the people of the merchant that is looked at. And the users that API tokens belong to without being
// people.

import { TextInput } from "@mantine/core";
import { useState } from "react";
import { type PersonRecord, usePeople } from "../api/people.ts";
import { may, useSignedIn } from "../api/session.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf, momentOf } from "../words/dates.ts";
import { ROLES } from "../words/roles.ts";
import type { StatusLabel } from "../words/status.ts";
import { NewPersonButton } from "./new-person.tsx";
import classes from "./people.module.css";
import { Users } from "./users.tsx";

export function PeoplePage() {
  return (
    <SetupPage title="People" about="Who can sign in with e-mail and password, and what each may do.">
      {(merchantId) => <People merchantId={merchantId} />}
    </SetupPage>
  );
}

function People({ merchantId }: { readonly merchantId: string }) {
  const who = useSignedIn();
  const [word, setWord] = useState("");
  const seesOperators = may(who, "operator_read");
  const everybody = usePeople(undefined, { enabled: seesOperators });
  const people = usePeople(merchantId);
  const changes = may(who, "set_up") || may(who, "operate");
  const fault = people.error ?? everybody.error;
  // What was read once stays: a first password that is shown this once would go with the page.
  if (people.data === undefined)
    return fault === null ? <Loading /> : <Fault fault={fault} again={() => void people.refetch()} />;
  const found = (all: readonly PersonRecord[]) =>
    all.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(word.trim().toLowerCase()));
  const operators = everybody.data?.filter(({ merchant_id }) => merchant_id === null);
  return (
    <>
      <TextInput
        label="Find by name or e-mail"
        value={word}
        onChange={(event) => setWord(event.currentTarget.value)}
        maw={{ sm: 360 }}
      />
      <Panel title="The merchant's people" flush aside={changes && <NewPersonButton merchantId={merchantId} />}>
        <PeopleTable people={found(people.data)} label="The merchant's people" />
      </Panel>
      {operators !== undefined && (
        <Panel title="Operators" flush aside={may(who, "operate") && <NewPersonButton />}>
          <PeopleTable people={found(operators)} label="Operators" />
        </Panel>
      )}
      <Users merchantId={merchantId} people={people.data} changes={changes} />
    </>
  );
}

function PeopleTable({ people, label }: { readonly people: readonly PersonRecord[]; readonly label: string }) {
  if (people.length === 0) return <Empty title="Nobody" />;
  return (
    <table className={`${table.table} ${classes.people}`} aria-label={label}>
      <thead>
        <tr>
          <th>Name</th>
          <th className="wide">E-mail</th>
          <th>Role</th>
          <th className="wide">Second factor</th>
          <th className="wide">Last signed in (UTC)</th>
          <th>State</th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <LinkedRow key={person.id} href={`/people/${person.id}`}>
            <td className="cut">
              <RowLink>{person.name}</RowLink>
            </td>
            <td className="wide cut">{person.email}</td>
            <td>{ROLES[person.role]}</td>
            <td className="wide">{person.second_factor ? "On" : "–"}</td>
            <td className={`wide figures ${table.quiet}`} title={`Since ${dateOf(person.created_at)}`}>
              {person.last_signed_in_at === null ? "Never" : momentOf(person.last_signed_in_at)}
            </td>
            <td>
              <Status label={statusOfPerson(person)} />
            </td>
          </LinkedRow>
        ))}
      </tbody>
    </table>
  );
}

/** Whether somebody can sign in. */
export function statusOfPerson({ locked, must_change_password }: PersonRecord): StatusLabel {
  if (locked) return { word: "Switched off", tone: "bad" };
  return must_change_password ? { word: "Invited", tone: "wait" } : { word: "Active", tone: "good" };
}
