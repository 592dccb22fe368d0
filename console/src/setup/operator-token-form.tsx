// Beside a merchant's API token, an operator's opens what is under /operator. With a session nobody needs it.

import { Button, Group, PasswordInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { wordsOf } from "../api/ask.ts";
import { enterOperatorToken } from "../api/sign-in.ts";

export function OperatorTokenForm({ opens }: { readonly opens: string }) {
  const [token, setToken] = useState("");
  const entering = useMutation({ mutationFn: enterOperatorToken });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        entering.mutate(token.trim());
      }}
    >
      <Group gap="xs" align="flex-end">
        <PasswordInput
          label="Operator token"
          description="Only operators can do this. The token stays in memory."
          style={{ flex: "1 1 220px" }}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          error={entering.isError ? wordsOf(entering.error) : undefined}
          autoComplete="off"
        />
        <Button type="submit" variant="default" disabled={token.trim() === ""} loading={entering.isPending}>
          {opens}
        </Button>
      </Group>
    </form>
  );
}
