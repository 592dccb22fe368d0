// What stands where there is nothing yet, nothing at all, or a fault.

import { Alert, Button, Center, Loader, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { wordsOf } from "../api/ask.ts";

export function Loading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader size="sm" type="dots" />
    </Center>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py={56} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" maw={440} component="div">
        {children}
      </Text>
    </Stack>
  );
}

export function Fault({ fault, again }: { readonly fault: unknown; readonly again?: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" title="That did not work" my="md" classNames={{ title: "fault" }}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="var(--mantine-color-text)">
          {wordsOf(fault)}
        </Text>
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** In place of a page that fails, or whose file is gone since the gateway was updated. */
export function NotShown() {
  return (
    <Alert color="red" variant="light" role="alert" title="This page could not be shown" my="md">
      <Button size="xs" variant="default" onClick={() => location.reload()}>
        Reload
      </Button>
    </Alert>
  );
}
