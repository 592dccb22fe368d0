// The keyboard on every page: each control is reached by Tab in the order of the page, is seen to have the focus, and what opens from it
// is left again by Escape. What is open is looked at by axe as well.

import assert from "node:assert/strict";
import { settled } from "./crawl.ts";
import { assertAccessible, type Visitor } from "./visitor.ts";

/** Those that take part in the order of Tab: of a group of radios one does. */
const CONTROLS = `[...document.querySelectorAll("#page :is(a[href], button, input, select, textarea, [tabindex='0'], summary)")].filter((each) =>
  !each.disabled && each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }) && each.type !== "hidden" &&
  !(each.type === "radio" && !each.checked && document.querySelector(\`input[type=radio][name="\${each.name}"]:checked\`)))`;

/** Notes each control of the page that gets the focus: whether it is on the screen, and whether anything says that it has the focus. */
const WATCH = `(() => {
  window.focused = [];
  window.noted?.abort();
  window.noted = new AbortController();
  document.addEventListener("focusin", ({ target: one }) => {
    const box = one.getBoundingClientRect();
    const shown = [one, one.closest("tr"), one.parentElement, one.nextElementSibling].filter(Boolean);
    const marked = shown.some((each) => { const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(each);
      return boxShadow !== "none" || (outlineStyle !== "none" && outlineWidth !== "0px" && pointer.stands(each, outlineColor)); });
    const frame = one.matches("input, textarea, select") ? one.closest("[data-multiline]") ?? one : undefined;
    const framed = frame !== undefined && pointer.stands(frame, getComputedStyle(frame).borderTopColor);
    focused.push({ inPage: one.closest("#page") !== null && one.id !== "page", at: ${CONTROLS}.indexOf(one), what: one.outerHTML.slice(0, 160),
      marked: marked || framed, onScreen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth });
  }, { signal: noted.signal });
})()`;

interface Focused {
  readonly inPage: boolean;
  readonly at: number;
  readonly what: string;
  readonly marked: boolean;
  readonly onScreen: boolean;
}

/** From the head of the page through all of it. */
export async function tabsThrough({ page, go }: Visitor, path: string): Promise<void> {
  await go(path);
  await page.getByRole("heading").first().waitFor();
  await settled(page);
  await page.evaluate("getSelection().removeAllRanges(); document.getElementById('page').focus()");
  await page.evaluate(WATCH);
  const count = Number(await page.evaluate(`${CONTROLS}.length`));
  const reached = new Set<number>();
  // What takes several keys, such as a date, has the focus for as long; behind the last control is the browser's own.
  for (let steps = 0; steps <= 6 * count && reached.size < count; steps += AT_ONCE) {
    for (let key = 0; key < AT_ONCE; key++) await page.keyboard.press("Tab");
    for (const focused of (await page.evaluate("focused.splice(0)")) as readonly Focused[]) {
      if (!focused.inPage) continue;
      assert.ok(focused.marked, `${path}: nothing shows the focus on ${focused.what}`);
      assert.ok(focused.onScreen, `${path}: the focus is out of sight on ${focused.what}`);
      reached.add(focused.at);
    }
  }
  const missed = Number(await page.evaluate(`${CONTROLS}.length`)) - reached.size;
  assert.ok(missed <= 0, `${path}: ${missed} of ${count} controls are not reached by Tab`);
}

const AT_ONCE = 10;

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
