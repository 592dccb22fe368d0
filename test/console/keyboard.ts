// The keyboard on every page: each control is reached by Tab in the order of the page, is seen to have the focus, and what opens from it
// is left again by Escape. What is open is looked at by axe as well.

import assert from "node:assert/strict";
import { assertAccessible, type Visitor } from "./visitor.ts";

/** Those that take part in the order of Tab: of a group of radios one does. */
const CONTROLS = `[...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex='0'], summary")].filter((each) =>
  !each.disabled && each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }) && each.type !== "hidden" &&
  !(each.type === "radio" && !each.checked && document.querySelector(\`input[type=radio][name="\${each.name}"]:checked\`)))`;

/** What has the focus, whether it is on the screen, and whether anything says that it has the focus. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  const shown = [one, one.closest("tr"), one.parentElement, one.nextElementSibling].filter(Boolean);
  const box = one.getBoundingClientRect();
  const marked = shown.some((each) => { const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none"; });
  const bordered = one.matches("input, textarea, select");
  return { at: ${CONTROLS}.indexOf(one), what: one.outerHTML.slice(0, 160), marked: marked || bordered,
    onScreen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
})()`;

interface Focused {
  readonly at: number;
  readonly what: string;
  readonly marked: boolean;
  readonly onScreen: boolean;
}

/** From the head of the page through all of it. */
export async function tabsThrough({ page, go }: Visitor, path: string, heading: string | RegExp): Promise<void> {
  await go(path);
  await page.getByRole("heading", { name: heading }).first().waitFor();
  await page.getByRole("status").filter({ hasText: "Loading" }).waitFor({ state: "detached" });
  await page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); document.body.focus()");
  await page.locator("a[href='#page']").focus();
  const count = Number(await page.evaluate(`${CONTROLS}.length`));
  const reached = new Set<number>([0]);
  await page.keyboard.press("Tab");
  // What takes several keys, such as a date, has the focus for as long.
  for (let step = 0; step < 6 * count; step++) {
    const focused = (await page.evaluate(FOCUSED)) as Focused | null;
    if (focused === null || focused.at === 0) break;
    assert.ok(focused.marked, `${path}: nothing shows the focus on ${focused.what}`);
    assert.ok(focused.onScreen, `${path}: the focus is out of sight on ${focused.what}`);
    reached.add(focused.at);
    await page.keyboard.press("Tab");
  }
  const missed = Number(await page.evaluate(`${CONTROLS}.length`)) - reached.size;
  assert.ok(missed <= 0, `${path}: ${missed} of ${count} controls are not reached by Tab`);
}

/** Menus and lists to choose from, opened and moved in by keys. */
export async function opensByKey(visitor: Visitor, view: string): Promise<void> {
  const { page, go } = visitor;
  const open = async (what: string, choices: "menuitem" | "option") => {
    await page.getByRole(choices).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await assertAccessible(visitor, `${what}, ${view}`);
    const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
    assert.ok(wide <= 0, `${what}, ${view}: wider than the screen by ${wide}`);
    await page.keyboard.press("Escape");
    await page.getByRole(choices).first().waitFor({ state: "detached" });
  };
  await go("/transactions");
  await page.getByRole("button", { name: "Account" }).press("Enter");
  await open("the account menu", "menuitem");
  await page.getByRole("button", { name: "Export" }).press("Enter");
  await open("the export menu", "menuitem");
  await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await page.getByRole("dialog").getByRole("combobox", { name: "With an event", exact: true }).press("ArrowDown");
  await open("a list of the filters", "option");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  for (const [path, heading, field] of [
    ["/processors", "Processors", "Kind"],
    ["/overview", "Overview", "Currency"],
    ["/tokens", "API tokens", "User"],
  ] as const) {
    await go(path);
    await page.getByRole("heading", { level: 1 }).filter({ hasText: heading }).waitFor();
    const choice = page.getByRole("main").getByRole("combobox", { name: field });
    await choice.focus();
    await choice.press("ArrowDown");
    await open(`the list of ${path}`, "option");
  }
  await go("/transactions");
  await page.getByRole("link", { name: "order cad" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("411111");
  await open("suggestions", "option");
}
