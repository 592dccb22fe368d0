// In place of a page that fails, or whose file does not come.

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { Page } from "../parts/page.tsx";

/** What each browser says of a part of the page that it could not load. */
const NOT_LOADED = /dynamically imported module|importing a module script/i;

interface NotShownProps {
  readonly fault: unknown;
  readonly again: () => void;
}

export function NotShownPage({ fault, again }: NotShownProps) {
  const notLoaded = fault instanceof Error && NOT_LOADED.test(fault.message);
  const [title, words] = notLoaded
    ? [
        "This page could not be loaded",
        "The gateway cannot be reached, or was updated since the console was opened. After an update only a reload helps; a token is then asked for again.",
      ]
    : ["This page could not be shown", "Something on it failed. Other pages still work."];
  return (
    <Page title={title}>
      <Alert color="red" variant="light" role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm" c="var(--mantine-color-text)">
            {words}
          </Text>
          <Group gap="sm">
            <Button size="xs" variant="default" onClick={again}>
              Try again
            </Button>
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              Reload the console
            </Button>
          </Group>
        </Stack>
      </Alert>
    </Page>
  );
}
