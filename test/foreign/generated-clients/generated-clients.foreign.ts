// The clients that common generators make of /openapi.json compile, and a merchant's day goes through them: sales, a decline, a capture,
// refunds, a list, errors, an airline's passengers. The same again at a gateway of a later version, where no client may throw: the
// money has moved by then.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { startTestGateway } from "../../journeys/gateway.ts";
import { isInPath } from "../steps.ts";
import { run } from "../tools.ts";
import { CLIENTS, type Command } from "./clients.ts";
import { type LaterVersion, startLaterVersion } from "./later-version.ts";

let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let later: LaterVersion;
let folder: string;
let document: string;

before(async () => {
  gateway = await startTestGateway();
  const { text, body } = await gateway.get("/openapi.json", { token: null });
  later = await startLaterVersion(gateway.url, body);
  folder = mkdtempSync(join(tmpdir(), "faregate-clients-"));
  document = join(folder, "openapi.json");
  writeFileSync(document, text);
});
after(async () => {
  await later?.close();
  await gateway?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const spend = ({ program, parameters, env = {} }: Command, url: string) =>
  run(program, parameters, {
    timeout: 120_000,
    env: { ...process.env, ...env, FAREGATE_URL: url, FAREGATE_TOKEN: gateway.sandbox.api_token },
  });

for (const { name, needs, install, make } of CLIENTS)
  describe(name, () => {
    let command: Command | undefined;
    const unless = (t: TestContext, missing: string | undefined) => {
      if (missing !== undefined) t.skip(missing);
      return missing === undefined;
    };

    test("its client compiles", async (t) => {
      const lacking = needs.filter((program) => !isInPath(program));
      if (!unless(t, lacking.length > 0 ? `${lacking.join(", ")} not in PATH` : undefined)) return;
      const fault = await install().then(
        () => undefined,
        (refused: Error) => `cannot be had here: ${refused.message.trim().slice(0, 300)}`,
      );
      if (unless(t, fault)) command = await make({ folder: mkdtempSync(join(folder, "client-")), document });
    });

    for (const [which, url] of [
      ["this version", () => gateway.url],
      ["a later version, with more fields and other values", () => later.url],
    ] as const)
      test(`a merchant's day goes through it at a gateway of ${which}`, async (t) => {
        if (command === undefined) t.skip("there is no client");
        else if (unless(t, command.missing)) await spend(command, url());
      });
  });
