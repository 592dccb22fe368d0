// What stands where there is nothing yet, nothing at all, or a fault.

import { Alert, Button, Center, Loader, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { linesOf } from "../api/ask.ts";
import { wordsOfRead } from "../api/read.ts";
import { Waits } from "./waiting.tsx";

export function Loading() {
  return (
    <Center mih={240}>
      <Waits />
      <Loader size="sm" type="dots" />
    </Center>
  );
}

interface EmptyProps {
  readonly title: string;
  /** One panel among others. */
  readonly small?: boolean;
  readonly children?: ReactNode;
}

export function Empty({ title, small = false, children }: EmptyProps) {
  return (
    <Stack align="center" gap={6} py={small ? 24 : 56} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" maw={440} component="div">
        {children}
      </Text>
    </Stack>
  );
}

/** On a page past the last one: of a list that has become shorter, or by an address that somebody kept. */
export const PastEnd = () => <Empty title="Nothing on this page">Earlier pages have the whole list.</Empty>;

interface FaultProps {
  readonly fault: unknown;
  /** Of a question: asks it now. */
  readonly again?: () => void;
  /** Of a form: the fields that show their own errors. */
  readonly shown?: readonly string[];
}

/** Beside a control in a list, where a box has no room. */
export const FaultInRow = ({ fault }: { readonly fault: unknown }) => (
  <Text size="xs" c="var(--mantine-color-error)" role="alert">
    That did not work: {linesOf(fault).join(" ")}
  </Text>
);

export function Fault({ fault, again, shown }: FaultProps) {
  const lines = again === undefined ? linesOf(fault, shown) : [wordsOfRead(fault)];
  return (
    <Alert color="red" variant="light" role="alert" title="That did not work" my="md" classNames={{ title: "fault" }}>
      <Stack gap="sm" align="flex-start">
        {lines.map((line) => (
          <Text key={line} size="sm" c="var(--mantine-color-text)">
            {line}
          </Text>
        ))}
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
