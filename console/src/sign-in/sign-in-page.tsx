// The door: by e-mail and password with a second factor, or by an API token that is kept in memory only.

import { Anchor, Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import mark from "../icon.svg";
import { useTitle } from "../parts/page.tsx";
import { PasswordForm } from "./password-form.tsx";
import classes from "./sign-in.module.css";
import { TokenForm } from "./token-form.tsx";

/** @param sessions whether this gateway has people who sign in */
export function SignInPage({ sessions }: { readonly sessions: boolean }) {
  const [byToken, setByToken] = useState(!sessions);
  useTitle("Sign in");
  return (
    <main className={classes.door}>
      <Stack gap="lg" w="100%" maw={400}>
        <Stack gap={10} align="center">
          <img src={mark} alt="" width={44} height={44} />
          <Title order={1}>Sign in to Faregate</Title>
        </Stack>
        <Paper className={classes.card}>{byToken ? <TokenForm /> : <PasswordForm />}</Paper>
        <Stack gap={4} align="center">
          {sessions && (
            <Button variant="subtle" size="compact-sm" onClick={() => setByToken(!byToken)}>
              {byToken ? "By e-mail and password" : "With an API token"}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            <Anchor href="/docs" size="sm">
              API reference
            </Anchor>
          </Text>
        </Stack>
      </Stack>
    </main>
  );
}
