// A row of a list that opens its record, wherever it is clicked; the record's page leads back to the list as it was. What opens is the row's own link, found inside of the row that was hit:
// no rule of a style sheet decides it, so no row can ever open another one's record. Controls in a row keep their clicks.

import { createContext, type MouseEvent, type ReactNode, type Ref, useContext } from "react";
import { useLocation, useSearch } from "wouter";
import classes from "./linked-row.module.css";
import { PageLink } from "./parts.tsx";
import type { CameFrom } from "./way-back.ts";

const Address = createContext<string | undefined>(undefined);

interface LinkedRowProps {
  readonly href: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLTableRowElement>;
}

export function LinkedRow({ href, children, ref }: LinkedRowProps) {
  return (
    // Keyboards and screen readers use the link in it.
    <tr className={classes.row} onClick={openRow} onAuxClick={openRow} {...(ref !== undefined && { ref })}>
      <Address value={href}>{children}</Address>
    </tr>
  );
}

/** The row's link: its name. */
export function RowLink({ children }: { readonly children: ReactNode }) {
  const href = useContext(Address);
  const [[path], query] = [useLocation(), useSearch()];
  const state: CameFrom = { list: query === "" ? path : `${path}?${query}` };
  if (href === undefined) throw new Error("a RowLink outside of a LinkedRow has no address");
  return (
    <PageLink href={href} className={classes.link} state={state}>
      {children}
    </PageLink>
  );
}

/** Controls with a click of their own, and the space around them: a click that just misses a switch opens nothing. */
const CONTROLS = "a, button, input, label, select, textarea, td:has(button, input)";
const MIDDLE_BUTTON = 1;

function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, target, button, ctrlKey, metaKey, shiftKey } = event;
  if (event.defaultPrevented || button > MIDDLE_BUTTON || !(target instanceof Element)) return;
  if (target.closest(CONTROLS) !== null || selectsIn(row)) return;
  // As on the link itself: in a new tab, where that is asked for.
  const anew = { ctrlKey: ctrlKey || button === MIDDLE_BUTTON, metaKey, shiftKey };
  row
    .querySelector(`a.${classes.link}`)
    ?.dispatchEvent(new globalThis.MouseEvent("click", { bubbles: true, cancelable: true, view: window, ...anew }));
}

/** Whether text of the row was selected, to be copied. */
function selectsIn(row: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && selection.type === "Range" && row.contains(selection.anchorNode);
}
