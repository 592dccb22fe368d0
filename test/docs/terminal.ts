// The terminal of somebody who follows a page: bash, in which `npx faregate`, `npm start` and `npm run …-host` are the real command
// line, gateway and hosts, without what npm would install first, and on ports of the test's own.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pino from "pino";
import { freePort } from "../../bench/free-port.ts";
import { type Gateway, startGateway } from "../../src/gateway-process.ts";
import { greeting } from "../../src/greeting.ts";
import { readSettings } from "../../src/settings.ts";
import { type Ended, faregateAsked } from "../command-line.ts";

const ROOT = join(import.meta.dirname, "../..");
const LONGEST_PAGE_MS = 300_000;
/** Of the hosts that pages start, and of the figures: each becomes a free one. */
const PORTS = ["8583", "8584", "8586", "8587", "8591", "8592", "9464"];
/** By the name in package.json: the ports that a host listens on unless it is told others. */
const HOSTS: Readonly<Record<string, readonly [gateways: string, control: string]>> = {
  acquirer: ["8583", "8584"],
  "stripe-host": ["8586", "8587"],
  "adyen-host": ["8591", "8592"],
};

interface Called {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
  readonly folder: string;
}

export interface Ran {
  /** What each block printed, on either stream. */
  readonly printed: readonly string[];
  /** The commands of each that ended with another code than 0. */
  readonly failed: readonly string[];
}

export type Terminal = Awaited<ReturnType<typeof openTerminal>>;

/** @param sandbox its address, what its command line needs, and what it says when it has started */
export async function openTerminal(sandbox: { url: string; env: NodeJS.ProcessEnv; greeting: string }, folder: string) {
  const ports = new Map<string, string>();
  for (const port of PORTS) ports.set(port, `${await freePort()}`);
  const gateways: Gateway[] = [];
  const hosts: ChildProcess[] = [];
  let answers = 0;

  const server = createServer(async (request, response) => {
    const { code, stdout, stderr } = await carriedOut(await calledBy(request)).catch((fault) => ({
      code: 1,
      stdout: "",
      stderr: `${fault instanceof Error ? fault.stack : fault}\n`,
    }));
    const answer = join(folder, `.answer-${++answers}`);
    for (const [name, text] of Object.entries({ code: `${code}`, stdout, stderr }))
      writeFileSync(`${answer}-${name}`, text);
    response.end(answer);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const programs = writePrograms(folder, (server.address() as AddressInfo).port);

  async function carriedOut(called: Called): Promise<Ended> {
    const [program, command, ...words] = called.words;
    if (program === "npx" && command === "faregate") {
      const env = called.env.DATABASE_URL === undefined ? { ...called.env, ...sandbox.env } : called.env;
      return faregateAsked({ stdin: called.stdin, folder: called.folder, env, parameters: words });
    }
    if (program === "npm" && command === "start") return printed(await startedGateway(called.env));
    if (program === "npm" && command === "run" && words[0] !== undefined && words[0] in HOSTS)
      return printed(await startedHost(words[0], words.slice(2), called));
    return { code: 127, stdout: "", stderr: `not in a test: ${program} ${command}\n` };
  }

  /** Without settings of one's own it is the sandbox that runs. */
  async function startedGateway(env: NodeJS.ProcessEnv): Promise<string> {
    const own = Object.keys(env).filter((name) => /^(DATABASE_URL|METRICS_|TRACES_)/.test(name));
    if (own.length === 0) return sandbox.greeting;
    const key = join(sandbox.env.FAREGATE_DATA ?? "", "master.key");
    const ownFolder = { FAREGATE_DATA: join(folder, `data-${gateways.length + 1}`), FAREGATE_MASTER_KEY_FILE: key };
    const place = env.DATABASE_URL === undefined ? { ...sandbox.env, ...ownFolder } : {};
    const read = readSettings({ ...env, ...place, PORT: "0" });
    if (!read.ok) throw new Error(read.problems.join("\n"));
    const gateway = await startGateway(read.settings, pino({ level: "silent" }));
    gateways.push(gateway);
    return greeting(gateway, read.settings, 0.2);
  }

  async function startedHost(name: string, words: readonly string[], { folder: cwd }: Called): Promise<string> {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const [gatewaysPort = "", control = ""] = HOSTS[name] ?? [];
    const at = ["--port", ports.get(gatewaysPort) ?? "", "--control-port", ports.get(control) ?? ""];
    const main = join(ROOT, scripts[name].replace("exec node bin/run.mjs ", ""));
    const host = spawn(process.execPath, [main, ...at, ...words], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    hosts.push(host);
    const [first] = await once(host.stdout, "data");
    return `${first}`;
  }

  const inTest = (text: string): string =>
    text
      .replaceAll("http://127.0.0.1:8080", sandbox.url)
      .replaceAll(new RegExp(`\\b(${PORTS.join("|")})\\b`, "g"), (port) => ports.get(port) ?? port)
      .replaceAll("/backup/", `${folder}/`);

  return {
    inTest,
    /** All blocks of a page, in one shell so that variables stay. */
    async run(blocks: readonly string[], given: NodeJS.ProcessEnv): Promise<Ran> {
      const path = `${programs}:${dirname(process.execPath)}:${process.env.PATH}`;
      const options = {
        cwd: folder,
        env: { HOME: folder, CURL_HOME: folder, PATH: path, ...given },
        timeout: LONGEST_PAGE_MS,
        maxBuffer: 2 ** 24,
      };
      const script = blocks.map((text, index) => inShell(inTest(text), index)).join("\n");
      const shell = promisify(execFile)("bash", ["-c", `set -Eu -o pipefail\n${script}`], options);
      shell.child.stdin?.end();
      const stopped = await shell.then(
        () => "",
        (fault) => `the shell stopped: ${fault.stderr}`,
      );
      const read = (kind: string) => blocks.map((_, index) => textOf(join(folder, `.${kind}-${index}`)));
      const failed = read("failed");
      return { printed: read("printed"), failed: stopped === "" ? failed : [...failed, stopped] };
    },
    /** Ends what the page started. */
    async clear(): Promise<void> {
      const ended = hosts.map((host) => host.exitCode ?? once(host, "exit"));
      for (const host of hosts.splice(0)) host.kill("SIGTERM");
      await Promise.all([...ended, ...gateways.splice(0).map((gateway) => gateway.close())]);
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const printed = (stdout: string): Ended => ({ code: 0, stdout, stderr: "" });

/** What it starts in the background has said that it is there before the next block begins. */
const inShell = (text: string, index: number): string =>
  `: > "$HOME/.failed-${index}"
trap 'printf "%s\\n" "$BASH_COMMAND" >> "$HOME/.failed-${index}"' ERR
{
${text}
wait
} > "$HOME/.printed-${index}" 2>&1`;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** `npx` and `npm` that ask this process. */
function writePrograms(folder: string, port: number): string {
  const programs = join(folder, ".programs");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(folder, ".curlrc"), "silent\nshow-error\n");
  for (const name of ["npx", "npm"]) {
    const file = join(programs, name);
    writeFileSync(
      file,
      `#!/bin/bash
words=(--form-string word=${name}); for word in "$@"; do words+=(--form-string "word=$word"); done
answer=$(curl -F 'stdin=<-' "\${words[@]}" --form-string "folder=$PWD" -F 'env=<'<(env -0) http://127.0.0.1:${port}/)
cat "$answer-stdout"; cat "$answer-stderr" >&2; exit "$(cat "$answer-code")"
`,
    );
    chmodSync(file, 0o755);
  }
  return programs;
}

async function calledBy(request: IncomingMessage): Promise<Called> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(Buffer.concat(pieces), { headers }).formData();
  const variables = String(form.get("env"))
    .split("\0")
    .filter((one) => one !== "");
  return {
    words: form.getAll("word").map(String),
    env: Object.fromEntries(variables.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)])),
    stdin: String(form.get("stdin")),
    folder: String(form.get("folder")),
  };
}
