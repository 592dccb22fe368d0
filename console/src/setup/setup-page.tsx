// What the set-up pages share: they are about one merchant, and for those who may set it up.

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { may, useSignedIn } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Copyable, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { OperatorTokenForm } from "./operator-token-form.tsx";

interface SetupPageProps {
  readonly title: string;
  readonly about: string;
  /** Only operators may see it. */
  readonly forOperators?: boolean;
  readonly back?: { readonly href: string; readonly to: string };
  readonly children: (merchantId: string) => ReactNode;
}

export function SetupPage({ title, about, forOperators = false, back, children }: SetupPageProps) {
  const who = useSignedIn();
  const opened = may(who, "operator_read") || (!forOperators && may(who, "set_up"));
  return (
    <Page title={title} about={about} {...(back !== undefined && { back })}>
      {!opened && who?.kind === "session" ? (
        <Empty title="Not for your role">
          {forOperators ? "Only operators see this." : "Operators and the merchant's administrators see this."}
        </Empty>
      ) : !opened ? (
        <Panel>
          <OperatorTokenForm opens="Open" />
        </Panel>
      ) : who?.merchantId === undefined ? (
        <Loading />
      ) : (
        children(who.merchantId)
      )}
    </Page>
  );
}

interface SecretProps {
  readonly what: string;
  readonly secret: string;
  readonly close: () => void;
}

/** Shown once: the dialog does not close by a click beside it. */
export function SecretDialog({ what, secret, close }: SecretProps) {
  return (
    <Modal
      opened
      onClose={close}
      title={<b>Keep this secret</b>}
      centered
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">{what} It is shown this once.</Text>
        <Copyable value={secret} what="the secret" />
        <Group justify="flex-end">
          <Button onClick={close}>I have saved it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface SureProps {
  readonly does: string;
  /** What will happen. */
  readonly means: string;
  readonly work: { readonly mutateAsync: () => Promise<unknown>; readonly isPending: boolean; readonly error: unknown };
}

/** A button that asks before it does what cannot be taken back. */
export function SureButton({ does, means, work }: SureProps) {
  const [asking, dialog] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {does}
      </Button>
      <Modal opened={asking} onClose={dialog.close} title={<b>{does}</b>} centered closeButtonProps={CLOSE}>
        <Stack gap="md">
          <Text size="sm">{means}</Text>
          {work.error !== null && <Fault fault={work.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={dialog.close}>
              Not now
            </Button>
            <Button
              loading={work.isPending}
              onClick={() => void work.mutateAsync().then(dialog.close, () => undefined)}
            >
              {does}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

const CLOSE = { "aria-label": "Close" };
