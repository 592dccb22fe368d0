// What a person has to do before anything else: a password of their own, or a second factor.

import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { fieldsOf, wordsOf } from "../api/ask.ts";
import { beginSecondFactor, changePassword, confirmSecondFactor, signOut } from "../api/sign-in.ts";
import { Copyable } from "../parts/parts.tsx";
import classes from "./sign-in.module.css";

export function MustPage({ must }: { readonly must: "change_password" | "set_up_second_factor" }) {
  return (
    <main className={classes.door}>
      <Stack gap="lg" w="100%" maw={420}>
        <Paper className={classes.card}>{must === "change_password" ? <NewPassword /> : <NewSecondFactor />}</Paper>
        <Button variant="subtle" size="compact-sm" onClick={() => void signOut({ everywhere: false })}>
          Sign out
        </Button>
      </Stack>
    </main>
  );
}

function NewPassword() {
  const [password, setPassword] = useState("");
  const [next, setNext] = useState("");
  const changing = useMutation({ mutationFn: () => changePassword(password, next) });
  const wrong = fieldsOf(changing.error);
  return (
    <Form
      title="Choose a password"
      does="Change the password"
      work={changing}
      about="Somebody else set the present one."
    >
      <PasswordInput
        label="Present password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={wrong.password}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      <PasswordInput
        label="New password"
        description="12 characters or more."
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
        error={wrong.new_password}
        autoComplete="new-password"
        required
        withAsterisk={false}
      />
    </Form>
  );
}

function NewSecondFactor() {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const beginning = useMutation({ mutationFn: () => beginSecondFactor(password) });
  const confirming = useMutation({ mutationFn: () => confirmSecondFactor(code.trim()) });
  if (confirming.data !== undefined) return <RecoveryCodes {...confirming.data} />;
  if (beginning.data !== undefined)
    return (
      <Form
        title="Add it to your app"
        does="Switch on"
        work={confirming}
        about={
          <>
            Enter this key in your authenticator app, or open <a href={beginning.data.uri}>this link</a> on the phone:{" "}
            <Copyable value={beginning.data.secret} what="the key" />
          </>
        }
      >
        <TextInput
          label="Code of the app"
          inputMode="numeric"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={fieldsOf(confirming.error).code}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          autoFocus
        />
      </Form>
    );
  return (
    <Form
      title="Set up a second factor"
      does="Go on"
      work={beginning}
      about="Operators in live mode sign in with a code of an authenticator app beside their password."
    >
      <PasswordInput
        label="Password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={fieldsOf(beginning.error).password}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
    </Form>
  );
}

function RecoveryCodes({
  recoveryCodes,
  done,
}: {
  readonly recoveryCodes: readonly string[];
  readonly done: () => void;
}) {
  return (
    <Stack gap="md">
      <Title order={1}>Keep these codes</Title>
      <Text size="sm" c="dimmed">
        Each signs you in once when the app is not at hand. They are not shown again.
      </Text>
      <ul className={`${classes.codes} code`}>
        {recoveryCodes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <Button onClick={done}>I have kept them</Button>
    </Stack>
  );
}

interface FormProps {
  readonly title: string;
  readonly about: ReactNode;
  readonly does: string;
  readonly work: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  readonly children: ReactNode;
}

function Form({ title, about, does, work, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      <Stack gap="md">
        <Title order={1}>{title}</Title>
        <Text size="sm" c="dimmed" component="div">
          {about}
        </Text>
        {children}
        {work.error !== null && Object.keys(fieldsOf(work.error)).every((field) => field === "base") && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {wordsOf(work.error)}
          </Text>
        )}
        <Button type="submit" loading={work.isPending}>
          {does}
        </Button>
      </Stack>
    </form>
  );
}
