import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { chargeQuestion, inquiryQuestion } from "../../test/conformance/questions.ts";
import { openStripe } from "../../test/conformance/stripe-subject.ts";

async function run(
  folder: string,
  ...args: string[]
): Promise<{ host: ChildProcess; base_url: string; control: string }> {
  const main = join(import.meta.dirname, "main.ts");
  const host = spawn(process.execPath, [main, "--port", "0", "--control-port", "0", "--folder", folder, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: host.stdout }), "line")) as [string];
  const [, base_url, control] = /gateways at (\S+), control at (\S+)$/.exec(line) ?? [];
  assert.ok(base_url !== undefined && control !== undefined, line);
  return { host, base_url, control };
}

test("killed once it has done what it was asked, the host knows it at its next start", {
  timeout: 180_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "stripe-host-"));
  try {
    const sale = chargeQuestion("sale", { number: "4242424242424242" });
    const first = await run(folder, "--misbehave", '{"what": "crash-after", "on": ["confirm"]}');
    const ended = once(first.host, "exit");
    const settings = { secret_key: "sk_test_local0000" };
    const before = openStripe({ ...settings, base_url: first.base_url });
    assert.equal((await before.charge(sale, AbortSignal.timeout(20_000))).kind, "unanswered");
    await Promise.all([ended, before.close()]);

    const { host, base_url, control } = await run(folder);
    const after = openStripe({ ...settings, base_url });
    const found = await after.inquire?.(inquiryQuestion(sale), AbortSignal.timeout(20_000));
    assert.equal(found?.kind, "approved");
    const again = await after.charge(sale, AbortSignal.timeout(20_000));
    assert.equal(again.kind, "approved", "under the same key the same request has the first answer");
    assert.equal(await (await fetch(`${control}/balance/${sale.transactionId}`)).text(), "1000\n");
    await after.close();
    const stopped = once(host, "exit");
    host.kill("SIGTERM");
    await stopped;
    assert.equal(host.exitCode, 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
