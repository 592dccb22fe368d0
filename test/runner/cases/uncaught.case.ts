// Errors that nobody catches: one thrown from a timer, one of a promise.

import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

test("throws where nobody catches", async () => {
  setTimeout(() => {
    throw new Error("thrown from a timer");
  }, 10);
  await sleep(50);
});
test("leaves a promise alone", async () => {
  void Promise.reject(new Error("rejected unseen"));
  await sleep(50);
});
test("goes on", () => undefined);
