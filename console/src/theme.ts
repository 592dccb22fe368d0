// Colours and sizes: calm greys, one colour for what can be done, tones for what a status means. Contrasts hold WCAG 2.2 AA.

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, Menu } from "@mantine/core";

const gate: MantineColorsTuple = [
  "#eef0ff",
  "#dde1fb",
  "#bcc4f5",
  "#97a3ef",
  "#7987ea",
  "#6374e6",
  "#4c5fdf",
  "#3b4fd8",
  "#3143b8",
  "#263592",
];

/** Bluish, as the surfaces are. */
const dark: MantineColorsTuple = [
  "#d5d9e2",
  "#bcc2cf",
  "#9aa2b2",
  "#727b8d",
  "#3a4150",
  "#2b303c",
  "#20242d",
  "#171a21",
  "#111318",
  "#0c0e12",
];

export const theme = createTheme({
  colors: { gate, dark },
  primaryColor: "gate",
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: 'Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Its placeholder for the focus is a child that no menu may have (ARIA): the first item takes the focus.
  components: { Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }) },
  headings: {
    fontWeight: "620",
    sizes: { h1: { fontSize: "1.5rem", lineHeight: "1.25" }, h2: { fontSize: "1.05rem", lineHeight: "1.35" } },
  },
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1b2130",
    "--mantine-color-dimmed": "#566072",
    "--mantine-color-placeholder": "#6b7484",
    "--mantine-color-anchor": "#3143b8",
    "--mantine-color-error": "#b42318",
    // People read disabled controls, too: the contrast is 4:1.
    "--mantine-color-disabled-color": "#6b7484",
    "--mantine-color-default-border": "#d9dde5",
  },
  dark: {
    "--mantine-color-body": "#171a21",
    "--mantine-color-text": "#e4e7ee",
    "--mantine-color-dimmed": "#a3abba",
    "--mantine-color-placeholder": "#8e97a8",
    "--mantine-color-anchor": "#aab6ff",
    "--mantine-color-error": "#ff9d94",
    "--mantine-color-disabled-color": "#8e97a8",
    "--mantine-color-default": "#1e222b",
    "--mantine-color-default-hover": "#252a35",
    "--mantine-color-default-border": "#343a47",
  },
});
