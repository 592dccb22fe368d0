// `npm run image -- --push --sign`: cosign, built from its makers' source, signs what was pushed to a registry on this machine, and verifies it by
// the key alone, offline. What is not signed, or by another key, is refused.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../bench/free-port.ts";
import { goProgram, run } from "../tools.ts";
import { makeBaseImages } from "./base-images.ts";
import { buildTestImage } from "./built.ts";
import { useOwnStore } from "./containers.ts";

const NAME = "localhost/faregate:signed";
/** Nothing of the image or of who signs it leaves this machine. */
const OFFLINE = ["--use-signing-config=false", "--tlog-upload=false", "--new-bundle-format=false"];
const ON_HTTP = "--allow-http-registry";

describe("a signed image", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-signature-"));
  let cosign: string;
  let registry: ChildProcess;
  let image: string;
  const env = { ...process.env, COSIGN_PASSWORD: "" };
  const key = (name: string) => run(cosign, ["generate-key-pair", "--output-key-prefix", name], { cwd: folder, env });
  const by = (name: string) => ["--key", join(folder, `${name}.pub`), "--insecure-ignore-tlog", ON_HTTP];
  const verify = async (name: string, what: string): Promise<readonly unknown[]> =>
    JSON.parse((await run(cosign, ["verify", ...by(name), what], { env })).stdout);

  before(async () => {
    cosign = await goProgram("github.com/sigstore/cosign/v3/cmd/cosign", "v3.1.3");
    const program = await goProgram("github.com/google/go-containerregistry/cmd/registry", "v0.22.1");
    useOwnStore();
    await makeBaseImages();
    const port = await freePort();
    registry = spawn(program, ["--port", `${port}`], { stdio: "ignore" });
    image = `127.0.0.1:${port}/faregate:0.1.0`;
    await listens(port);
    await Promise.all(["ours", "another"].map(key));
    process.env.PATH = `${dirname(cosign)}${delimiter}${process.env.PATH}`;
    process.env.COSIGN_PASSWORD = "";
    await buildTestImage(NAME, ["linux/amd64", "linux/arm64"], {
      pushedTo: [
        ...["--push", image, "--push-option=--tls-verify=false", "--sign", "--key", join(folder, "ours.key")],
        ...[...OFFLINE, ON_HTTP].map((option) => `--sign-option=${option}`),
      ],
    });
  });
  after(() => {
    registry?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("is verified by the key that signed it, and by no other", async () => {
    assert.ok((await verify("ours", image)).length > 0);
    await assert.rejects(verify("another", image), /no matching signatures|invalid signature/);
  });

  test("has its bill of materials as an attestation", async () => {
    const words = ["verify-attestation", "--type", "cyclonedx", ...by("ours"), image];
    const { payload } = JSON.parse((await run(cosign, words, { env })).stdout) as { readonly payload: string };
    const { predicate } = JSON.parse(Buffer.from(payload, "base64").toString());
    assert.equal(predicate.metadata.component.name, "faregate");
  });

  test("what was pushed without a signature is refused", async () => {
    const other = image.replace("faregate:", "unsigned:");
    await run("buildah", ["manifest", "push", "--all", "--tls-verify=false", NAME, `docker://${other}`]);
    await assert.rejects(verify("ours", other), /no signatures found/);
  });
});

async function listens(port: number): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const { ok } = await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => ({ ok: false }));
    if (ok) return;
    await sleep(100);
  }
  throw new Error("the registry does not listen");
}
