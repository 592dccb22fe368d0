// What people look after themselves: the password, and the second factor.

import { PasswordInput, SimpleGrid, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { useSignedIn } from "../api/session.ts";
import { newRecoveryCodes, removeSecondFactor } from "../api/sign-in.ts";
import { Page } from "../parts/page.tsx";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty } from "../parts/states.tsx";
import { Form, NewPassword, NewSecondFactor, PresentCode, RecoveryCodes } from "../sign-in/must-page.tsx";
import { ROLES } from "../words/roles.ts";

export function AccountPage() {
  const who = useSignedIn();
  if (who?.kind !== "session")
    return (
      <Page title="Your account">
        <Empty title="A token has no account">Sign in by e-mail and password.</Empty>
      </Page>
    );
  const { name, email, role, second_factor } = who.session.person;
  return (
    <Page title="Your account" about={`${name} · ${email} · ${ROLES[role]}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: "start" }}>
        <Panel>
          {/* Begins anew when it was switched on or off. */}
          <SecondFactor key={String(second_factor)} on={second_factor} />
        </Panel>
        <Panel>
          <NewPassword level={2} key={who.session.csrf_token} />
        </Panel>
      </SimpleGrid>
    </Page>
  );
}

function SecondFactor({ on }: { readonly on: boolean }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const renewing = useMutation({ mutationFn: () => newRecoveryCodes(password, code) });
  const removing = useMutation({ mutationFn: () => removeSecondFactor(password, code) });
  if (!on) return <NewSecondFactor level={2} />;
  if (renewing.data !== undefined)
    return <RecoveryCodes recoveryCodes={renewing.data} done={renewing.reset} level={2} />;
  return (
    <Stack gap="xl">
      <Form
        title="Second factor"
        about={<Status label={{ word: "On", tone: "good" }} />}
        does="New recovery codes"
        work={renewing}
        other={{ does: "Remove it", work: removing }}
        level={2}
      >
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldsOf(renewing.error ?? removing.error).password}
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        <PresentCode value={code} set={setCode} wrong={fieldsOf(renewing.error ?? removing.error)} />
      </Form>
      <NewSecondFactor level={2} again />
    </Stack>
  );
}
