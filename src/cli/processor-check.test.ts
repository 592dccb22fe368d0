import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLineOfItsOwn, faregate, faregateProcessReading, WITH_MASTER_KEY } from "../../test/command-line.ts";
import { stripeSettings, testHost } from "../../test/conformance/stripe-subject.ts";

test("a check says in words what an account at a processor lacks, and exits with 1", async () => {
  const [cli, host] = await Promise.all([commandLineOfItsOwn(WITH_MASTER_KEY), testHost()]);
  try {
    await cli.run("migrate");
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Shop");
    const { base_url, secret_key, webhook_secret } = stripeSettings(host.port);
    const create = ["processor", "create", "--merchant", merchant.id, "--name", "Stripe", "--kind", "stripe"];
    const settings = ["--set", `base_url=${base_url}`];
    const made = await faregateProcessReading(
      `${secret_key}\n`,
      cli.live,
      ...[...create, "--currency", "USD", ...settings, "--set", "secret_key=@-", "--json"],
    );
    assert.equal(made.code, 0, made.stderr);
    assert.ok(!made.stdout.includes(secret_key), "a secret is not shown");
    const { id } = JSON.parse(made.stdout).processor;
    const hook = ["processor", "change", id, "--set", "webhook_secret=@-"];
    assert.equal((await faregateProcessReading(webhook_secret, cli.live, ...hook)).code, 0);
    const good = await cli.run("processor", "check", id);
    assert.equal(good.code, 0, good.stdout + good.stderr);
    assert.match(good.stdout, /^CHECK .*\nkey +ok +Stripe at \S+ takes secret_key \(test: sales move no money\)\n/);

    const { FAREGATE_MASTER_KEY: _, ...without } = cli.live;
    const charge = ["--amount", "10.00", "--card-start", "42424242", "--currency", "USD"];
    for (const words of [
      ["processor", "check", id],
      ["routing", "try", merchant.id, ...charge],
    ]) {
      const { code, stderr } = await faregate(without, ...words);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^error: secrets of processor \S+ cannot be opened \(.*\): set FAREGATE_MASTER_KEY/);
    }

    host.account.takesCardNumbers = false;
    const bad = await cli.run("processor", "check", id);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /card numbers +wrong +ask Stripe's support for access to raw card data APIs/);
    assert.match((await cli.run("processor", "check", merchant.id)).stderr, /there is no processor/);
  } finally {
    await Promise.all([cli.end(), host.stop()]);
  }
});
