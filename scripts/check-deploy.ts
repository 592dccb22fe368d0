// `npm run check-deploy`: what deploy/ holds, and the alerts, checked by the tools that it is for, where this machine has them. It says which
// it has not. What needs none of them is in the tests.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const CHART = "deploy/helm/faregate";
const EVERYTHING = [
  "ingress.enabled=true",
  "ingress.tlsSecretName=tls",
  "settings.TRUST_PROXY=10.0.0.0/8",
  "migration.grantTo=gateway",
];
const COMPOSE_ENV = {
  DOMAIN: "pay.example.com",
  OPERATOR_NETWORKS: "127.0.0.1/32",
  POSTGRES_PASSWORD: "x",
  FAREGATE_SECRET: "x",
};

interface Check {
  readonly program: string;
  readonly parameters: readonly string[];
  /** Whether the program is there, where its name alone does not tell. */
  readonly probe?: readonly string[];
}

const CHECKS: readonly Check[] = [
  { program: "hadolint", parameters: ["deploy/Dockerfile"] },
  {
    program: "docker",
    parameters: ["compose", "-f", "deploy/compose.yaml", "config", "--quiet"],
    probe: ["compose", "version"],
  },
  { program: "caddy", parameters: ["validate", "--adapter", "caddyfile", "--config", "deploy/Caddyfile"] },
  { program: "systemd-analyze", parameters: ["verify", "deploy/faregate.service"] },
  {
    program: "systemd-analyze",
    parameters: ["security", "--offline=true", "--threshold=20", "deploy/faregate.service"],
  },
  { program: "helm", parameters: ["lint", "--strict", CHART] },
  { program: "helm", parameters: ["lint", "--strict", CHART, ...EVERYTHING.flatMap((one) => ["--set", one])] },
  {
    program: "helm",
    parameters: ["template", "faregate", CHART, "--kube-version", "1.31", "--set", EVERYTHING.join(",")],
  },
  { program: "promtool", parameters: ["check", "rules", "docs/prometheus/faregate.rules.yml"] },
  { program: "promtool", parameters: ["test", "rules", "docs/prometheus/faregate.rules.test.yml"] },
];

let failed = 0;
for (const { program, parameters, probe = ["--version"] } of CHECKS) {
  const line = [program, ...parameters].join(" ");
  if (isMissing(program, probe)) console.log(`not checked, since this machine has no ${program}: ${line}`);
  else if (passes(program, parameters)) console.log(`passed: ${line}`);
  else failed += 1;
}
process.exit(failed === 0 ? 0 : 1);

function isMissing(program: string, probe: readonly string[]): boolean {
  const { error, status } = spawnSync(program, probe, { stdio: "ignore" });
  return error !== undefined || (status !== 0 && probe[0] !== "--version");
}

function passes(program: string, parameters: readonly string[]): boolean {
  const env = { ...process.env, ...COMPOSE_ENV };
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: ROOT, env, encoding: "utf8" });
  if (status !== 0) console.log(`failed: ${[program, ...parameters].join(" ")}\n${stdout}${stderr}`);
  return status === 0;
}
