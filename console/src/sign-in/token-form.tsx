// Signing in with a merchant's API token: for a sandbox, and until there are people.

import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldsOf, wordsOf } from "../api/ask.ts";
import { enterToken } from "../api/sign-in.ts";

export function TokenForm() {
  const [token, setToken] = useState("");
  const entering = useMutation({ mutationFn: enterToken });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        entering.mutate(token.trim());
      }}
    >
      <Stack gap="md">
        <PasswordInput
          label="API token"
          description="A merchant's, with the scope read. It stays in memory and is gone when this page is left."
          placeholder="fg_test_…"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          error={entering.isError ? whyNot(entering.error) : undefined}
          autoComplete="off"
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
        />
        <Button type="submit" fullWidth loading={entering.isPending} disabled={token.trim() === ""}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          In the sandbox it stands in <span className="code">data/sandbox.json</span> as{" "}
          <span className="code">api_token</span>.
        </Text>
      </Stack>
    </form>
  );
}

/** The gateway speaks of the header that a program would send. */
function whyNot(fault: unknown): string {
  const { authorization } = fieldsOf(fault);
  return authorization === undefined ? wordsOf(fault) : `This ${authorization}.`;
}
