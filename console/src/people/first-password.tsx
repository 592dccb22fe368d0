// A first password, shown this once: for one sign-in, at which its owner chooses another.

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { WithPassword } from "../api/people.ts";
import { Copyable, Facts } from "../parts/parts.tsx";

interface FirstPasswordProps {
  readonly person: WithPassword["person"];
  readonly close: () => void;
}

export function FirstPassword({ person: { name, email, password }, close }: FirstPasswordProps) {
  return (
    <Modal
      opened
      onClose={close}
      title={<b>First password of {name}</b>}
      centered
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">
          Hand it over by a way that nobody else reads. It is good for one sign-in, at which {name} chooses another, and
          is shown this once.
        </Text>
        <Facts
          facts={[
            { name: "E-mail", value: email },
            { name: "Password", value: <Copyable value={password} what="the password" /> },
          ]}
        />
        <Group justify="flex-end">
          <Button onClick={close}>I have saved it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
