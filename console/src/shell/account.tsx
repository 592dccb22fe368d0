// Who is signed in, light or dark, and the way out.

import { ActionIcon, Menu, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { type SignedIn, useSignedIn } from "../api/session.ts";
import { signOut } from "../api/sign-in.ts";
import { Icon } from "../parts/icons.tsx";
import { PageLink } from "../parts/parts.tsx";
import { ROLES } from "../words/roles.ts";

export function Account() {
  const who = useSignedIn();
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <ActionIcon variant="default" size={34} radius="xl" aria-label="Account">
          <Icon name="person" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {who && <Who who={who} />}
        <Menu.Divider />
        <SchemeItem />
        {who?.kind === "session" && (
          <Menu.Item component={PageLink} href="/account" leftSection={<Icon name="key" size={16} />}>
            Password and second factor
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => void signOut({ everywhere: false })}>
          Sign out
        </Menu.Item>
        {who?.kind === "session" && (
          <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => void signOut({ everywhere: true })}>
            Sign out everywhere
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Who({ who }: { readonly who: SignedIn }) {
  const [name, below] =
    who.kind === "token"
      ? ["API token", "Forgotten when this page is left"]
      : [who.session.person.name, `${who.session.person.email} · ${ROLES[who.session.person.role]}`];
  return (
    <div style={{ padding: "8px 12px" }}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {below}
      </Text>
    </div>
  );
}

function SchemeItem() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <Menu.Item
      closeMenuOnClick={false}
      leftSection={<Icon name={dark ? "sun" : "moon"} size={16} />}
      onClick={() => setColorScheme(dark ? "light" : "dark")}
    >
      {dark ? "Light colours" : "Dark colours"}
    </Menu.Item>
  );
}
