// Signing in by e-mail and password; the second factor is asked for when the gateway asks for it.

import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldsOf, wordsOf } from "../api/ask.ts";
import { type Proof, signIn } from "../api/sign-in.ts";
import { codeSent } from "../words/typed.ts";

type Second = "none" | "code" | "recovery_code";

export function PasswordForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [second, setSecond] = useState<Second>("none");
  const entering = useMutation({
    mutationFn: signIn,
    onError: (fault) => {
      if (second === "none" && fieldsOf(fault).code !== undefined) setSecond("code");
    },
  });
  const wrong = fieldsOf(entering.error);
  const base = entering.isError && wrong.code === undefined && wrong.recovery_code === undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const proof: Proof = { email: email.trim(), password, ...(second !== "none" && { [second]: codeSent(code) }) };
    entering.mutate(proof);
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
        />
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        {second !== "none" && (
          <TextInput
            key={second}
            label={second === "code" ? "Code from your authenticator app" : "Recovery code"}
            placeholder={second === "code" ? "123456" : "xxxx-xxxx-xxxx-xxxx"}
            inputMode={second === "code" ? "numeric" : "text"}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={code === "" ? undefined : (wrong.code ?? wrong.recovery_code)}
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            autoFocus
          />
        )}
        {base && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {wordsOf(entering.error)}
          </Text>
        )}
        <Button type="submit" fullWidth loading={entering.isPending}>
          Sign in
        </Button>
        {second !== "none" && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              setCode("");
              setSecond(second === "code" ? "recovery_code" : "code");
            }}
          >
            {second === "code" ? "Use a recovery code" : "Use the authenticator app"}
          </Button>
        )}
      </Stack>
    </form>
  );
}
