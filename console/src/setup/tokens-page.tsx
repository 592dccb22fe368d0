// A merchant's API tokens: which there are, a new one with its secret shown once, and revoking.

import { Button, Checkbox, Group, Select, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { useNow } from "../api/clock.ts";
import { may, useSignedIn } from "../api/session.ts";
import { type Token, type User, useChange, useSetup } from "../api/setup.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf } from "../words/dates.ts";
import { SecretDialog, SetupPage, SureButton } from "./setup-page.tsx";

const SCOPES = [
  { value: "charge", label: "Charge" },
  { value: "follow_up", label: "Capture, void and refund" },
  { value: "read", label: "Read" },
  { value: "cards", label: "Keep cards on file" },
] as const;

export function TokensPage() {
  return (
    <SetupPage title="API tokens" about="The tokens with which the merchant's programs call the gateway.">
      {(merchantId) => <Tokens merchantId={merchantId} />}
    </SetupPage>
  );
}

function Tokens({ merchantId }: { readonly merchantId: string }) {
  const who = useSignedIn();
  const tokens = useSetup("tokens", merchantId);
  const users = useSetup("users", merchantId);
  const changes = may(who, "set_up") || may(who, "operate");
  const now = useNow();
  const fault = tokens.error ?? users.error;
  // What was read once stays: a secret that is shown this once would go with the page.
  if (tokens.data === undefined || users.data === undefined)
    return fault === null ? (
      <Loading />
    ) : (
      <Fault fault={fault} again={() => void Promise.all([tokens.refetch(), users.refetch()])} />
    );
  const names = new Map(users.data.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  return (
    <>
      {changes && <NewToken merchantId={merchantId} users={users.data} />}
      <Panel flush>
        {tokens.data.length === 0 ? (
          <Empty title="No tokens yet" />
        ) : (
          <table className={table.table} aria-label="API tokens">
            <thead>
              <tr>
                <th>User</th>
                <th>May</th>
                <th className="wide">Created</th>
                <th>State</th>
                {changes && <th aria-label="Actions" />}
              </tr>
            </thead>
            <tbody>
              {tokens.data.map((token) => (
                <tr key={token.id}>
                  <td className="cut">{nameOf(token.user_id)}</td>
                  <td>{token.scopes.map((scope) => scope.replace("_", " ")).join(", ")}</td>
                  <td className="wide">{dateOf(token.created_at)}</td>
                  <td>
                    <Status label={stateOf(token, now)} />
                  </td>
                  {changes && <td className={table.number}>{token.revoked_at === null && <Revoke token={token} />}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  );
}

function stateOf({ revoked_at, expires_at }: Token, now: Date) {
  if (revoked_at !== null) return { word: "Revoked", tone: "plain" } as const;
  if (expires_at !== null && new Date(expires_at) < now) return { word: "Expired", tone: "plain" } as const;
  return { word: "Valid", tone: "good" } as const;
}

function Revoke({ token: { id } }: { readonly token: Token }) {
  const revoking = useChange<null>(() => ({ path: `tokens/${id}`, method: "DELETE" }));
  return (
    <SureButton
      does="Revoke"
      means="Every node refuses it within a second. Programs that use it can no longer call the gateway."
      work={revoking}
    />
  );
}

function NewToken({ merchantId, users }: { readonly merchantId: string; readonly users: readonly User[] }) {
  const [userId, setUserId] = useState(users[0]?.id ?? "");
  const [scopes, setScopes] = useState<string[]>(["charge", "follow_up", "read"]);
  const creating = useChange<{ readonly token: { readonly secret: string } }>(() => ({
    path: `merchants/${merchantId}/tokens`,
    method: "POST",
    json: { user_id: userId, scopes },
  }));
  const wrong = fieldsOf(creating.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  return (
    <Panel title="A new token">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Select
            label="User"
            description="The users that transactions name."
            data={users.map(({ id, name }) => ({ value: id, label: name }))}
            value={userId}
            onChange={(id) => setUserId(id ?? "")}
            allowDeselect={false}
            error={wrong.user_id}
            maw={360}
          />
          <Checkbox.Group label="It may" value={scopes} onChange={setScopes} error={wrong.scopes}>
            <Group gap="lg" mt={6}>
              {SCOPES.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </Group>
          </Checkbox.Group>
          {creating.isError && <Fault fault={creating.error} shown={["user_id", "scopes"]} />}
          <Group>
            <Button type="submit" loading={creating.isPending} disabled={scopes.length === 0 || userId === ""}>
              Create the token
            </Button>
          </Group>
        </Stack>
      </form>
      {creating.data && (
        <SecretDialog
          what="The token that programs send as Authorization: Bearer."
          secret={creating.data.token.secret}
          close={creating.reset}
        />
      )}
    </Panel>
  );
}
