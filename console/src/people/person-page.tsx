// One person: role and name, and what can be done when a password or a phone is lost, or somebody leaves.

import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { type PersonRecord, usePerson, type WithPassword } from "../api/people.ts";
import { may, type Role, useSignedIn } from "../api/session.ts";
import { useChange } from "../api/setup.ts";
import { Copyable, Facts, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import { TextField } from "../parts/text-field.tsx";
import { SetupPage, SureButton } from "../setup/setup-page.tsx";
import classes from "../transaction/transaction.module.css";
import { exactly } from "../words/dates.ts";
import { ROLES } from "../words/roles.ts";
import { FirstPassword } from "./first-password.tsx";
import { RoleChoice } from "./new-person.tsx";
import { statusOfPerson } from "./people-page.tsx";

const BACK = { href: "/people", to: "People" };

export function PersonPage({ id }: { readonly id: string }) {
  const { data: person, error, refetch } = usePerson(id);
  return (
    <SetupPage title={person?.name ?? "Person"} about={person?.email ?? " "} back={BACK}>
      {() =>
        person !== undefined ? (
          <Shown person={person} />
        ) : error === null ? (
          <Loading />
        ) : (
          <Fault fault={error} again={() => void refetch()} />
        )
      }
    </SetupPage>
  );
}

function Shown({ person }: { readonly person: PersonRecord }) {
  const who = useSignedIn();
  const oneself = who?.kind === "session" && who.session.person.id === person.id;
  const changes = may(who, "set_up") || may(who, "operate");
  const { id, role, second_factor, created_at, last_signed_in_at } = person;
  return (
    <div className={classes.columns}>
      {changes && (
        <Stack gap="lg">
          <NameAndRole key={`${person.name} ${role}`} person={person} oneself={oneself} />
          <WhatCanBeDone person={person} oneself={oneself} />
        </Stack>
      )}
      <Stack gap="sm">
        <Panel title="Details">
          <Facts
            facts={[
              { name: "State", value: <Status label={statusOfPerson(person)} /> },
              { name: "Role", value: ROLES[role] },
              { name: "Second factor", value: second_factor ? "On" : "Off" },
              { name: "Last signed in", value: last_signed_in_at === null ? "Never" : exactly(last_signed_in_at) },
              { name: "Since", value: exactly(created_at) },
              { name: "Id", value: <Copyable value={id} what="the person's id" /> },
            ]}
          />
        </Panel>
        {may(who, "operator_read") && (
          <Text size="sm">
            <PageLink href={`/audit?subject=${id}`}>What was changed</PageLink> ·{" "}
            <PageLink href={`/audit?actor=${encodeURIComponent(person.email)}`}>what {person.name} did</PageLink>
          </Text>
        )}
      </Stack>
    </div>
  );
}

interface OfPerson {
  readonly person: PersonRecord;
  /** Nobody locks themselves, or gives themselves a role or a password here. */
  readonly oneself: boolean;
}

function NameAndRole({ person, oneself }: OfPerson) {
  const [name, setName] = useState(person.name);
  const [role, setRole] = useState<Role>(person.role);
  const saving = useChange<unknown>(() => ({
    path: `people/${person.id}`,
    method: "PATCH",
    json: { ...(name.trim() !== person.name && { name: name.trim() }), ...(role !== person.role && { role }) },
  }));
  const wrong = fieldsOf(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Panel title="Name and role">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextField label="Name" value={name} set={setName} error={wrong.name} />
          <RoleChoice role={role} set={setRole} error={wrong.role} disabled={oneself} />
          {saving.isError && <Fault fault={saving.error} shown={["name", "role"]} />}
          <Group>
            <Button
              type="submit"
              loading={saving.isPending}
              disabled={name.trim() === person.name && role === person.role}
            >
              Change
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function WhatCanBeDone({ person, oneself }: OfPerson) {
  const { id, name, locked, second_factor } = person;
  const [first, setFirst] = useState<WithPassword["person"]>();
  const resetting = useChange<WithPassword>(() => ({ path: `people/${id}/password`, method: "POST" }));
  const withFirst = {
    ...resetting,
    mutateAsync: async () => setFirst((await resetting.mutateAsync()).person),
  };
  const signingOut = useChange<null>(() => ({ path: `people/${id}/sign-out`, method: "POST" }));
  const removing = useChange<null>(() => ({ path: `people/${id}/second-factor`, method: "DELETE" }));
  const locking = useChange<unknown>(() => ({ path: `people/${id}`, method: "PATCH", json: { locked: !locked } }));
  return (
    <Panel title="What can be done">
      <Stack gap="md">
        {!oneself && (
          <Possible why="For a lost password, or after too many tries: a new first password, shown once. It also ends the wait.">
            <SureButton
              does="Reset the password"
              means={`${name} is signed out everywhere, and the current password stops working at once.`}
              work={withFirst}
            />
          </Possible>
        )}
        {second_factor && (
          <Possible why="For a lost phone. Make sure who is asking for it.">
            <SureButton
              does="Remove the second factor"
              means={`${name} signs in by password alone until another one is set up, and is signed out everywhere now.`}
              work={removing}
            />
          </Possible>
        )}
        <Possible why="All sessions end within a second. The password does not change.">
          <SureButton
            does="Sign out everywhere"
            means={`${name} has to sign in again on each device.`}
            work={signingOut}
          />
        </Possible>
        {!oneself && (
          <Possible
            why={
              locked
                ? "The password stays the same."
                : "Nobody can sign in with this account any more. Its API tokens keep working: revoke them under API tokens."
            }
          >
            <SureButton
              does={locked ? "Switch on again" : "Switch off"}
              means={locked ? `${name} can sign in again.` : `${name} is signed out everywhere and cannot sign in.`}
              work={locking}
            />
          </Possible>
        )}
      </Stack>
      {first !== undefined && <FirstPassword person={first} close={() => setFirst(undefined)} />}
    </Panel>
  );
}

const Possible = ({ why, children }: { readonly why: string; readonly children: ReactNode }) => (
  <Stack gap={4} align="flex-start">
    {children}
    <p className={classes.ruling}>{why}</p>
  </Stack>
);
