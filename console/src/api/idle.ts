// A page that nobody uses signs out after a quarter of an hour (PCI DSS 8.2.8), also where it asks for nothing. When a session ends the
// gateway says, since its person may be active in another tab; a pasted token is known to this page alone, which forgets it.

import { idleSeconds, noteActivity } from "./activity.ts";
import { ask } from "./ask.ts";
import { becomeNobody, becomeSession, type Session, signedIn } from "./session.ts";

const IDLE_SECONDS = 15 * 60;
const CHECKED_EVERY_MS = 30_000;

/** Once, for as long as the page is open. */
export function endWhenIdle(): void {
  watchActivity();
  setInterval(() => void check(), CHECKED_EVERY_MS);
  // Timers of a hidden page may have stood still.
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void check());
}

/** A key, the pointer, or going back. Not what a script pretends, nor a mouse that lies still while the page moves below it. */
const ACTS = ["keydown", "pointerdown", "click", "input", "wheel", "touchmove", "popstate"] as const;

function watchActivity(): void {
  let pointer: readonly [number, number] | undefined;
  const note = ({ isTrusted }: Event) => {
    if (!isTrusted) return;
    // A person who comes back too late is signed out.
    forgetIdleToken();
    noteActivity();
  };
  for (const act of ACTS) addEventListener(act, note, { capture: true, passive: true });
  const moved = (event: PointerEvent) => {
    const [x, y] = pointer ?? [event.screenX, event.screenY];
    pointer = [event.screenX, event.screenY];
    if (x !== event.screenX || y !== event.screenY) note(event);
  };
  addEventListener("pointermove", moved, { capture: true, passive: true });
}

function forgetIdleToken(): void {
  if (signedIn()?.kind === "token" && idleSeconds() >= IDLE_SECONDS) becomeNobody("idle");
}

/** Tells the gateway how long nobody has done anything here, and learns whether the session goes on, and whose it is now. */
async function check(): Promise<void> {
  forgetIdleToken();
  const who = signedIn();
  if (who?.kind !== "session") return;
  try {
    const { session } = await ask<{ readonly session: Session }>("/session");
    const present = signedIn();
    if (present?.kind !== "session" || present.session.csrf_token === session.csrf_token) return;
    // Another tab has signed in, perhaps as another person. This page's requests now belong to that session.
    const same = present.session.person.id === session.person.id;
    becomeSession(same ? { ...present.session, csrf_token: session.csrf_token } : session);
  } catch {
    // A session that has ended is one that `ask` knows of; anything else passes.
  }
}
