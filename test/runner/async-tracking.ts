// What node:test tracks: of every promise and callback, the test that it comes from. It needs that while a file declares its tests,
// and uses it later only to name the test that an uncaught error belongs to. Tracking each promise of the gateways in this process
// takes a quarter of all their processor time, so it is left off while tests run, and an uncaught error is told of the file.

import { createHook } from "node:async_hooks";

interface Hook {
  enable(): Hook;
  disable(): Hook;
}

export interface Tracking {
  on(): void;
  off(): void;
}

/** @param bootstrap calls node:test for the first time, which is when it makes its hook */
export function trackingOf(bootstrap: () => void): Tracking {
  const hooks: Hook = Object.getPrototypeOf(createHook({}));
  const { enable } = hooks;
  let made: Hook | undefined;
  hooks.enable = function (this: Hook) {
    made = this;
    return enable.call(this);
  };
  try {
    bootstrap();
  } finally {
    hooks.enable = enable;
  }
  return { on: () => void made?.enable(), off: () => void made?.disable() };
}
