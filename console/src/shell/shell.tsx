// What surrounds every page: where one can go, the search box, the sandbox's clock, and who is signed in.

import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { isSandbox, useSignedIn } from "../api/session.ts";
import mark from "../icon.svg";
import { Account } from "./account.tsx";
import { Navigation } from "./navigation.tsx";
import { useRowKeys } from "./row-keys.ts";
import { SandboxMark } from "./sandbox-mark.tsx";
import { SearchBox } from "./search-box.tsx";
import classes from "./shell.module.css";

export function Shell({ children }: { readonly children: ReactNode }) {
  const [opened, menu] = useDisclosure(false);
  const [path] = useLocation();
  const main = useRef<HTMLDivElement>(null);
  const who = useSignedIn();
  useRowKeys(main);

  // Another page: the menu closes, and who reads with the keyboard begins at its head.
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    menu.close();
    window.scrollTo({ top: 0 });
    main.current?.focus({ preventScroll: true });
  }, [path, menu.close]);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: "sm", collapsed: { mobile: !opened } }}
      classNames={{ header: classes.header, navbar: classes.navbar, main: classes.main }}
      transitionDuration={0}
    >
      <a href="#page" className={classes.skip}>
        To the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={opened}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? "Close the menu" : "Open the menu"}
            aria-expanded={opened}
          />
          <span className={`${classes.brand} wide`}>
            <img src={mark} alt="" width={24} height={24} /> Faregate
          </span>
          <SearchBox />
          <Group gap={6} wrap="nowrap" ml="auto">
            {isSandbox(who) && <SandboxMark />}
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" component="nav" aria-label="Pages">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main>
        <div id="page" ref={main} className={classes.page} tabIndex={-1}>
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
