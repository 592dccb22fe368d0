// The door: by e-mail and password with a second factor, or by an API token that is kept in memory only.

import { Alert, Anchor, Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { type Ended, whyEnded } from "../api/session.ts";
import { openDoor } from "../api/sign-in.ts";
import { BASE_PATH } from "../base-path.ts";
import mark from "../icon.svg";
import { useTitle } from "../parts/page.tsx";
import { PasswordForm } from "./password-form.tsx";
import classes from "./sign-in.module.css";
import { TokenForm } from "./token-form.tsx";

/** @param sessions whether this gateway has people who sign in */
export function SignInPage({ sessions }: { readonly sessions: boolean }) {
  const [byToken, setByToken] = useState(!sessions);
  const ended = whyEnded();
  useTitle("Sign in");
  useEffect(() => (sessions ? followOtherTabs() : undefined), [sessions]);
  return (
    <main className={classes.door}>
      <Stack gap="lg" w="100%" maw={400}>
        <Stack gap={10} align="center">
          <img src={mark} alt="" width={44} height={44} />
          <Title order={1}>Sign in to Faregate</Title>
        </Stack>
        {ended && (
          <Alert color="gray" variant="light" role="status" c="var(--mantine-color-text)">
            {ENDED[ended]} Sign in to go on where you were.
          </Alert>
        )}
        <Paper className={classes.card}>{byToken ? <TokenForm /> : <PasswordForm />}</Paper>
        <Stack gap={4} align="center">
          {sessions && (
            <Button variant="subtle" size="compact-sm" onClick={() => setByToken(!byToken)}>
              {byToken ? "By e-mail and password" : "With an API token"}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            <Anchor href={`${BASE_PATH}/docs`} size="sm">
              API reference
            </Anchor>
          </Text>
        </Stack>
      </Stack>
    </main>
  );
}

const ENDED: Readonly<Record<Ended, string>> = {
  idle: "You were signed out, because nobody used this page for 15 minutes.",
  ended: "Your session has ended.",
};

/** A sign-in in another tab counts here, too, as soon as this tab is visible. */
function followOtherTabs(): () => void {
  const look = () => {
    if (document.visibilityState === "visible") openDoor().catch(() => undefined);
  };
  document.addEventListener("visibilitychange", look);
  return () => document.removeEventListener("visibilitychange", look);
}
