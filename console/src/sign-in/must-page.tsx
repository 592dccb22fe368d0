// What a person has to do before anything else: a password of their own, or a second factor.

import { Box, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { fieldsOf, wordsOf } from "../api/ask.ts";
import { beginSecondFactor, changePassword, confirmSecondFactor, signOut } from "../api/sign-in.ts";
import { Fallible } from "../parts/fallible.tsx";
import { loadable } from "../parts/loadable.tsx";
import { useTitle } from "../parts/page.tsx";
import { Copyable } from "../parts/parts.tsx";
import { Waits } from "../parts/waiting.tsx";
import classes from "./sign-in.module.css";

const QR_PX = 208;
const QrCode = loadable(
  () => import("./qr-code.tsx"),
  "QrCode",
  <Box h={QR_PX}>
    <Waits />
  </Box>,
);

export function MustPage({ must }: { readonly must: "change_password" | "set_up_second_factor" }) {
  useTitle(must === "change_password" ? "Choose a password" : "Set up a second factor");
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

interface Place {
  /** Of its heading. */
  readonly level?: 1 | 2;
}

export function NewPassword({ level = 1 }: Place) {
  const [password, setPassword] = useState("");
  const [next, setNext] = useState("");
  const changing = useMutation({ mutationFn: () => changePassword(password, next) });
  const wrong = fieldsOf(changing.error);
  return (
    <Form
      title="Choose a password"
      does="Change the password"
      work={changing}
      level={level}
      about={level === 1 ? "Somebody else has set the current one." : "A new one ends your sessions on other devices."}
    >
      <PasswordInput
        label="Current password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={wrong.password}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      <PasswordInput
        label="New password"
        description="12 characters or more, with letters and digits."
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

/** @param again in place of the one that is on */
export function NewSecondFactor({ level = 1, again = false }: Place & { readonly again?: boolean }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [present, setPresent] = useState("");
  const beginning = useMutation({ mutationFn: () => beginSecondFactor(password, present) });
  const confirming = useMutation({ mutationFn: () => confirmSecondFactor(code.trim()) });
  if (confirming.data !== undefined) return <RecoveryCodes {...confirming.data} level={level} />;
  if (beginning.data !== undefined)
    return (
      <Form
        title="Add it to your app"
        does="Switch on"
        work={confirming}
        level={level}
        about="Point the authenticator app's camera here."
      >
        <Fallible instead={() => <Text size="sm">The QR code could not be loaded. The key does the same:</Text>}>
          <QrCode text={beginning.data.uri} sidePx={QR_PX} />
        </Fallible>
        <Text size="sm" c="dimmed" component="div">
          On this phone, <a href={beginning.data.uri}>open it in the app</a>; or type the key:{" "}
          <Copyable value={beginning.data.secret} what="the key" />
        </Text>
        <TextInput
          label="Code from the app"
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
      title={again ? "Move it to another phone" : "Set up a second factor"}
      does="Go on"
      work={beginning}
      level={level}
      about="You then sign in with the password and a code from an authenticator app. Required for operators in live mode."
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
      {again && <PresentCode value={present} set={setPresent} wrong={fieldsOf(beginning.error)} />}
    </Form>
  );
}

interface PresentCodeProps {
  readonly value: string;
  readonly set: (value: string) => void;
  readonly wrong: Readonly<Record<string, string>>;
}

/** Who is only at the screen, and has neither phone nor codes, changes nothing. */
export const PresentCode = ({ value, set, wrong }: PresentCodeProps) => (
  <TextInput
    label="Code from the app, or a recovery code"
    value={value}
    onChange={(event) => set(event.currentTarget.value)}
    error={wrong.code ?? wrong.recovery_code}
    autoComplete="one-time-code"
    required
    withAsterisk={false}
  />
);

interface CodesProps extends Place {
  readonly recoveryCodes: readonly string[];
  readonly done: () => void;
}

export function RecoveryCodes({ recoveryCodes, done, level = 1 }: CodesProps) {
  return (
    <Stack gap="md">
      <Title order={level}>Keep these codes</Title>
      <Text size="sm" c="dimmed">
        Each signs you in once when the app is not at hand. They are not shown again.
      </Text>
      <ul className={`${classes.codes} code`}>
        {recoveryCodes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <Button onClick={done}>I have saved them</Button>
    </Stack>
  );
}

interface FormProps extends Place {
  readonly title: string;
  readonly about: ReactNode;
  readonly does: string;
  readonly work: Work;
  /** What can be done with the same fields as well. */
  readonly other?: { readonly does: string; readonly work: Work };
  readonly children: ReactNode;
}

interface Work {
  readonly mutate: () => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

export function Form({ title, about, does, work, other, level = 1, children }: FormProps) {
  const fault = work.error ?? other?.work.error ?? null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      <Stack gap="md">
        <Title order={level}>{title}</Title>
        <Text size="sm" c="dimmed" component="div">
          {about}
        </Text>
        {children}
        {fault !== null && Object.keys(fieldsOf(fault)).every((field) => field === "base") && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {wordsOf(fault)}
          </Text>
        )}
        <Button type="submit" loading={work.isPending}>
          {does}
        </Button>
        {other && (
          <Button variant="default" loading={other.work.isPending} onClick={() => other.work.mutate()}>
            {other.does}
          </Button>
        )}
      </Stack>
    </form>
  );
}
