// What the log shows of requests that all meet the same fault, and of one that meets its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { loggedApp } from "../../test/logged-app.ts";
import { JournalUnavailable } from "../journal/journal.ts";
import { logLines } from "../shares/log-lines.ts";
import { respondToErrors } from "./errors.ts";

const ASKED = 500;
const AWAY = "the database is out of reach";

test("while the database is away a few requests are told with what broke, and how many more there were; a fault of ours each time", async (t) => {
  const { app, log, logged } = loggedApp(t);
  const lines = logLines(log);
  respondToErrors(app, lines);
  app.get("/away", async () => {
    throw new JournalUnavailable("the connection was refused");
  });
  app.get("/broken", async () => {
    throw new Error("a bug");
  });
  app.get("/full", async () => {
    throw Object.assign(new Error("No space left on device"), { code: "53100" });
  });
  const statuses = async (path: string) => {
    const responses = await Promise.all(Array.from({ length: ASKED }, () => app.inject(path)));
    return new Set(responses.map(({ statusCode }) => statusCode));
  };
  const told = (text: string) => logged.filter(({ msg }) => msg === text);

  assert.deepEqual(await statuses("/away"), new Set([503]));
  assert.equal(told(AWAY).length, 10);
  assert.match(JSON.stringify(told(AWAY)[0]), /the connection was refused.*errors\.test/);
  lines.close();
  assert.deepEqual(
    told(`more of the same: ${AWAY}`).map(({ more }) => more),
    [ASKED - 10],
  );
  assert.deepEqual(await statuses("/full"), new Set([503]));
  assert.equal(told("the database cannot be written to").length, 10, "nothing fills the disk that is full");
  assert.deepEqual(await statuses("/broken"), new Set([500]));
  assert.equal(told("a request failed: something broke").length, ASKED, "each response shows an id that is in the log");
});
