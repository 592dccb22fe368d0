// The settings that payers need: where they reach the gateway, and how long they have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./settings.ts";

test("payers reach the gateway by an address without a slash at its end, and have 1 to 240 minutes", () => {
  for (const [PUBLIC_URL, url] of [
    ["https://pay.example.com/", "https://pay.example.com"],
    ["https://pay.example.com:8443/pay/", "https://pay.example.com:8443/pay"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ] as const) {
    const read = readSettings({ PUBLIC_URL });
    assert.equal(read.ok && read.settings.publicUrl, url);
  }
  for (const minutes of [1, 30, 240]) {
    const read = readSettings({ CHALLENGE_MINUTES: `${minutes}` });
    assert.equal(read.ok && read.settings.challengeMinutes, minutes);
  }
});
