// What the mouse finds on a page: its controls, where each is, and what a click there would hit; and whether its words can be read as it
// looks now, under the pointer, with the focus, or disabled.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

export type Kind = "field" | "list" | "checkbox" | "radio" | "summary" | "link" | "button" | "option" | "menuitem";

export interface Control {
  readonly index: number;
  readonly kind: Kind;
  readonly name: string;
  /** The label of the table that it is a row of, and its place there. */
  readonly table: string | null;
  readonly row: number;
  readonly cell: number;
  readonly href: string | null;
  readonly type: string;
  readonly value: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly expanded: string | null;
  /** Whether more than one can be chosen. */
  readonly several: boolean;
  readonly pressed: string | null;
  readonly focused: boolean;
  readonly popup: string | null;
}

interface Place extends Spot {
  /** What cannot be read, as it looks now. */
  readonly faint: readonly string[];
}

interface Spot {
  readonly x: number;
  readonly y: number;
  /** What is in the way; null if a click hits the control. */
  readonly covered: string | null;
}

/** A script for each page. Contrast is what WCAG 2.2 asks of texts, of large ones, and of signs. A disabled control may have less; here it has as much as a sign. */
export const POINTER = String.raw`window.pointer = (() => {
  const LARGE_PX = 24, LARGE_BOLD_PX = 18.66, TEXT = 4.5, SIGN = 3;
  const boxed = (one) => { const { width, height } = one.getBoundingClientRect(); return width >= 6 && height >= 6; };
  // Where an input is hidden, its label is what people see and aim at.
  const aimOf = (one) => boxed(one) && getComputedStyle(one).opacity !== "0" ? one : [...(one.labels ?? [])].find(boxed);
  const named = (one) => (one.getAttribute("aria-label") ?? ([...(one.labels ?? [])].map((each) => each.textContent).join(" ") ||
    one.textContent || one.placeholder || "")).replace(/\s+/g, " ").trim();
  const kindOf = (one) => one.matches("a") ? "link" : one.matches("summary") ? "summary" : one.role === "option" ? "option" :
    one.role === "menuitem" ? "menuitem" : one.type === "checkbox" ? "checkbox" : one.type === "radio" ? "radio" :
    one.matches("input, textarea") ? (one.ariaHasPopup === "listbox" && !one.closest(".mantine-TagsInput-root") ? "list" : "field") : "button";
  const all = (root) => [...(document.querySelector(root)?.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [role=option], [role=menuitem]") ?? [])].filter((one) => {
    const aim = !["hidden", "range"].includes(one.type) && aimOf(one);
    return aim && aim.checkVisibility({ visibilityProperty: true });
  });
  const describe = (one, index) => { const row = one.closest("tbody tr"); return { index, kind: kindOf(one), name: named(one),
    table: row?.closest("table").getAttribute("aria-label") ?? null, row: row?.sectionRowIndex ?? -1, cell: one.closest("td")?.cellIndex ?? -1,
    href: one.getAttribute("href"), type: one.type ?? "", value: one.value ?? "", checked: one.checked ?? false,
    disabled: one.disabled === true || (one.readOnly === true && kindOf(one) === "field") || one.ariaDisabled === "true", expanded: one.ariaExpanded, several: one.closest(".mantine-MultiSelect-root") !== null,
    pressed: one.ariaPressed, focused: document.activeElement === one, popup: one.ariaHasPopup }; };
  const measured = (one, aim) => {
    const { left, top, width, height } = aim.getClientRects()[0];
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y);
    const reached = hit !== null && (aim.contains(hit) || one.contains(hit) || [...(one.labels ?? [])].some((each) => each.contains(hit)));
    return { x, y, covered: reached ? null : hit === null ? "nothing" : hit.outerHTML.slice(0, 160) };
  };
  // What scrolls into view may come to be under the head of the page, or under the foot of a form: people scroll on.
  const placeOf = (one) => {
    const aim = aimOf(one);
    aim.scrollIntoViewIfNeeded();
    const place = measured(one, aim);
    if (place.covered === null) return place;
    aim.scrollIntoView({ block: "center" });
    return measured(one, aim);
  };

  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const rgba = (css) => {
    if (!colours.has(css)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = css;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      colours.set(css, [r, g, b, a / 255]);
    }
    return colours.get(css);
  };
  const mixed = (below, above, share) => below.map((each, at) => each + (above[at] - each) * share);
  const over = (below, css) => { const [r, g, b, a] = rgba(css); return mixed(below, [r, g, b], a); };
  /** As it is painted: what is behind an element, or with a colour upon it. */
  const painted = (one, colour) => {
    const chain = [];
    for (let each = one; each !== null; each = each.parentElement) chain.unshift(getComputedStyle(each));
    const paint = (at, below) => {
      const { backgroundColor, opacity } = chain[at];
      const own = over(below, backgroundColor);
      const inner = at < chain.length - 1 ? paint(at + 1, own) : colour === undefined ? own : over(own, colour);
      return mixed(below, inner, Number(opacity));
    };
    return paint(0, [255, 255, 255]);
  };
  const luminance = (rgb) => rgb.map((each) => each / 255).map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (one, other) => { const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b); return (high + 0.05) / (low + 0.05); };
  const wordsIn = (one) => {
    if (one.matches("input, textarea")) {
      if (["checkbox", "radio", "date", "datetime-local"].includes(one.type)) return [];
      return one.value === "" ? one.placeholder === "" ? [] : [[one, getComputedStyle(one, "::placeholder").color, one.placeholder]] :
        [[one, getComputedStyle(one).color, one.value]];
    }
    const words = [];
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode())
      if (text.data.trim() !== "" && text.parentElement.checkVisibility({ visibilityProperty: true }))
        words.push([text.parentElement, getComputedStyle(text.parentElement).color, text.data.trim()]);
    for (const sign of one.querySelectorAll("svg")) words.push([sign, getComputedStyle(sign).color, undefined]);
    return words;
  };
  const faint = (one) => {
    const disabled = one.matches(":disabled, [data-disabled], [aria-disabled=true]");
    return wordsIn(aimOf(one) ?? one).flatMap(([at, colour, text]) => {
      const { fontSize, fontWeight } = getComputedStyle(at);
      const px = Number.parseFloat(fontSize);
      const large = px >= LARGE_PX || (px >= LARGE_BOLD_PX && Number(fontWeight) >= 700);
      const least = disabled || large || text === undefined ? SIGN : TEXT;
      const found = ratio(painted(at, colour), painted(at));
      return found >= least ? [] : [found.toFixed(2) + " is less than " + least + ": " + (text ?? "a sign") + ", of " + named(one)];
    });
  };
  // Of the newest list, which is what an index is of; who reads the style of all others again for one takes as long as for a list.
  const newest = new Map();
  const nth = (root, index) => { const one = newest.get(root)?.[index]; return one?.isConnected && aimOf(one) ? one : all(root)[index]; };
  const covered = (root) => all(root).flatMap((one) => { const { covered } = placeOf(one); return covered === null ? [] : [named(one) + " is under " + covered]; });
  const faintDisabled = (root) => all(root).filter((one) => one.matches(":disabled, [aria-disabled=true]")).flatMap(faint);
  // All but words and ids: what looks alike and says as much to a screen reader.
  const REFERS = /^(for|aria-(labelledby|describedby|controls|owns|errormessage|activedescendant))$/;
  const SAYS = /^(id|name|value|href|title|alt|placeholder|aria-label|d|data-.*id)$/;
  const shape = (root) => [...document.querySelectorAll(root)].flatMap((top) => [top, ...top.querySelectorAll("*")]).map((one) => one.tagName +
    [...one.attributes].map(({ name, value }) => name + "=" + (REFERS.test(name) ? value.split(" ").map((id) => document.getElementById(id) !== null) :
      SAYS.test(name) ? value.trim() !== "" : value.replace(/__m__-\S+/g, ""))).sort().join() + one.disabled + one.checked +
    [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "")).join(";");
  return {
    shape,
    list: (root) => { const those = all(root); newest.set(root, those); return those.map(describe); },
    stands: (one, colour) => ratio(over(painted(one.parentElement), colour), painted(one.parentElement)) >= SIGN,
    spot: (root, index) => placeOf(nth(root, index)),
    place: (root, index) => { const one = nth(root, index); return { ...placeOf(one), faint: faint(one) }; },
    looks: (root) => ({ covered: covered(root), faintDisabled: faintDisabled(root), wide: document.documentElement.scrollWidth - innerWidth }),
  };
})();`;

const ask = async <Answer>(page: Page, call: string): Promise<Answer> =>
  (await page.evaluate(`pointer.${call}`)) as Answer;
const given = (...values: readonly (string | number)[]): string => values.map((one) => JSON.stringify(one)).join(", ");

/** @param root a selector: only what is in there */
export const controlsIn = (page: Page, root: string): Promise<readonly Control[]> => ask(page, `list(${given(root)})`);

/** Alike for two that differ in their words alone. */
export const shapeOf = (page: Page, root: string): Promise<string> => ask(page, `shape(${given(root)})`);

interface Looks {
  readonly covered: readonly string[];
  readonly faintDisabled: readonly string[];
  readonly wide: number;
}

/** A click at the middle of each control reaches it, no disabled one is too faint to read, and the page is no wider than the screen. */
export async function allAreHit(page: Page, root: string, where: string): Promise<void> {
  const { covered, faintDisabled, wide }: Looks = await ask(page, `looks(${given(root)})`);
  assert.deepEqual(covered, [], `${where}: something is over a control`);
  assert.deepEqual(faintDisabled, [], `${where}: disabled`);
  assert.ok(wide <= 0, `${where}: wider than the screen by ${wide}`);
}

/** As a hand moves the mouse there, and follows what still moves: then it can be read under the pointer. */
async function pointsAt(page: Page, root: string, { index, name }: Control, where: string): Promise<Spot> {
  let before: Spot = await ask(page, `spot(${given(root, index)})`);
  for (;;) {
    await page.mouse.move(before.x, before.y);
    const at: Place = await ask(page, `place(${given(root, index)})`);
    if (at.x === before.x && at.y === before.y) {
      assert.equal(at.covered, null, `${where}: a click on "${name}" hits something else`);
      assert.deepEqual(at.faint, [], `${where}: under the pointer`);
      return at;
    }
    before = at;
  }
}

export async function clickOn(page: Page, root: string, control: Control, where: string): Promise<void> {
  const { x, y } = await pointsAt(page, root, control, where);
  await page.mouse.click(x, y);
}
