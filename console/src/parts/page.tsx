// The head of a page: where one is, what the page is about, what can be done with all of it.

import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Icon } from "./icons.tsx";
import { PageLink } from "./parts.tsx";
import { useWayBack } from "./way-back.ts";

interface PageProps {
  readonly title: string;
  /** In place of the title, where it is more than a text. */
  readonly heading?: ReactNode;
  readonly about?: ReactNode;
  readonly back?: { readonly href: string; readonly to: string };
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, heading, about, back, actions, children }: PageProps) {
  useTitle(title);
  const wayBack = useWayBack(back?.href);
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        {back && (
          <PageLink href={wayBack ?? back.href} className="back">
            <Icon name="back" size={14} /> {back.to}
          </PageLink>
        )}
        <Group justify="space-between" align="center" gap="sm">
          <Title order={1}>{heading ?? title}</Title>
          {actions}
        </Group>
        {about && (
          <Text c="dimmed" size="sm" component="div">
            {about}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}

/** In the browser's tab, and the first that a screen reader says of the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Faregate`;
  }, [title]);
}
