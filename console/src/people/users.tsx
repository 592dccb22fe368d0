// Users that API tokens belong to and nobody signs in as: a transaction names the user whose token made it.

import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import type { PersonRecord } from "../api/people.ts";
import { useChange, useSetup } from "../api/setup.ts";
import { Copyable, Panel } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import { TextField } from "../parts/text-field.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf } from "../words/dates.ts";

interface UsersProps {
  readonly merchantId: string;
  readonly people: readonly PersonRecord[];
  readonly changes: boolean;
}

export function Users({ merchantId, people, changes }: UsersProps) {
  const { data: users = [], error, refetch } = useSetup("users", merchantId);
  const names = new Set(people.map(({ id }) => id));
  const others = users.filter(({ id }) => !names.has(id));
  if (error !== null && others.length === 0) return <Fault fault={error} again={() => void refetch()} />;
  if (others.length === 0 && !changes) return null;
  return (
    <Panel title="Users of programs" flush>
      <Text size="sm" c="dimmed" px={{ base: 14, sm: 20 }} py={6}>
        API tokens belong to users, and a transaction names the user whose token made it. Nobody signs in as one of
        these.
      </Text>
      {others.length > 0 && (
        <table className={table.table} aria-label="Users of programs">
          <thead>
            <tr>
              <th>Name</th>
              <th className="wide">E-mail</th>
              <th className="wide">Created</th>
              <th className="wide">Id</th>
            </tr>
          </thead>
          <tbody>
            {others.map(({ id, name, email, created_at }) => (
              <tr key={id}>
                <td className="cut">
                  {name}
                  <div className={`narrow ${table.quiet}`}>{email}</div>
                </td>
                <td className="wide cut">{email}</td>
                <td className={`wide figures ${table.quiet}`}>{dateOf(created_at)}</td>
                <td className="wide cut">
                  <Copyable value={id} what="the user's id" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changes && <NewUser merchantId={merchantId} />}
    </Panel>
  );
}

function NewUser({ merchantId }: { readonly merchantId: string }) {
  const [fields, setFields] = useState({ name: "", email: "" });
  const creating = useChange<unknown>(() => ({ path: `merchants/${merchantId}/users`, method: "POST", json: fields }));
  const wrong = fieldsOf(creating.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(undefined, { onSuccess: () => setFields({ name: "", email: "" }) });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" px={{ base: 14, sm: 20 }} py={20}>
        <Group align="flex-end" gap="sm">
          <TextField
            label="Name of a new user"
            value={fields.name}
            set={(name) => setFields((all) => ({ ...all, name }))}
            error={wrong.name}
            style={{ flex: "1 1 180px" }}
          />
          <TextField
            label="Its e-mail"
            type="email"
            value={fields.email}
            set={(email) => setFields((all) => ({ ...all, email }))}
            error={wrong.email}
            style={{ flex: "1 1 180px" }}
          />
          <Button type="submit" variant="default" loading={creating.isPending}>
            Create the user
          </Button>
        </Group>
        {creating.isError && <Fault fault={creating.error} shown={["name", "email"]} />}
      </Stack>
    </form>
  );
}
