// What deploy/ holds fits together and fits the gateway: files parse, settings exist, versions agree. What needs docker, helm or systemd
// is checked by `npm run check-deploy`, where those are.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { SETTING_NAMES } from "../../src/setting-names.ts";
import { readSettings } from "../../src/settings.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const yaml = <T>(file: string): T => parse(read(file), { merge: true, strict: true }) as T;
const CHART = "deploy/helm/faregate";

/** Those of an example that are left for the operator to fill in. */
const FILLED: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres://faregate:secret@database:5432/faregate",
  FAREGATE_SECRET: "0f".repeat(32),
  FAREGATE_MASTER_KEY: "",
};

function assertSettings(env: Readonly<Record<string, string>>): void {
  const read = readSettings({ ...env, ...FILLED });
  assert.ok(read.ok, read.ok ? "" : read.problems.join("; "));
  assert.equal(read.settings.mode, "live");
}

const assignments = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(?:^|\s)([A-Z_]{4,})=("[^"]*"|\S*)/gm)].map(([, name = "", value = ""]) => [name, value]),
  );

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

test("the Dockerfile is without findings, and what it builds from is all that it is sent", () => {
  const text = read("deploy/Dockerfile");
  assert.deepEqual(
    validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
    [],
  );
  assert.match(text, /^USER 65532:65532$/m);
  const sent = read(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"));
  for (const line of sent.filter((one) => !one.includes("*")))
    assert.ok(globSync(line.slice(1), { cwd: ROOT }).length, line);
  // What a checkout has built before would get into the image, or in the way of its own build.
  assert.match(read(".dockerignore"), /^!console\n[\s\S]*^console\/dist$/m);
  for (const own of [
    "bin",
    "src",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "scripts/build.ts",
    "scripts/console.ts",
    "console",
  ])
    assert.ok(sent.includes(`!${own}`), own);
});

test("in the image the gateway runs as the launcher would run it", () => {
  const dockerfile = read("deploy/Dockerfile");
  const [, list = ""] = /^export const NODE_OPTIONS = \[([^\]]*)\];$/m.exec(read("bin/launch.mjs")) ?? [];
  const options = [...list.matchAll(/"--[^"]+"/g)].join(", ");
  assert.ok(options.includes("--max-semi-space-size"));
  assert.ok(dockerfile.includes(`ENTRYPOINT ["/nodejs/bin/node", ${options}, "/app/dist/faregate.js"]`), options);
  const [, malloc = ""] = /^export const MALLOC = \{ (.*) \};$/m.exec(read("bin/launch.mjs")) ?? [];
  for (const [, name, value] of malloc.matchAll(/(\w+): "(\d+)"/g))
    assert.ok(dockerfile.includes(`${name}=${value}`), name);
});

test("every setting in deploy/ is one that the gateway has, with a value that it takes", () => {
  const image = assignments(read("deploy/Dockerfile").split("\nENV ")[1]?.split("\nUSER ")[0] ?? "");
  assert.equal(image.PORT, "8080");
  assertSettings(image);
  const { services } = yaml<{ services: Readonly<Record<string, Service>> }>("deploy/compose.yaml");
  for (const name of ["gateway", "migrate"]) assertSettings({ ...image, ...services[name]?.environment });
  const [, unit = ""] = /^Environment=(.*)$/m.exec(read("deploy/faregate.service")) ?? [];
  assertSettings({ ...assignments(unit), ...assignments(read("deploy/environment.example").replace(/^#.*$/gm, "")) });
});

test("systemd: each credential of the drop-in in the docs is the file of a setting, and takes the place of a secret of the unit", () => {
  const [, dropIn = ""] = /```ini tested[^\n]*\n(\[Service\]\n[^`]*)```/.exec(read("docs/deploying.md")) ?? [];
  const credentials = [...dropIn.matchAll(/^LoadCredential=([^:\n]+):\/etc\/faregate\/\1$/gm)].map(
    ([, name]) => `%d/${name}`,
  );
  const files = assignments(/^Environment=(.*)$/m.exec(dropIn)?.[1] ?? "");
  assert.deepEqual(Object.values(files), credentials);
  const secrets = Object.keys(FILLED).map((name) => `${name}_FILE`);
  assert.deepEqual(Object.keys(files), secrets);
  for (const name of secrets) assert.ok(SETTING_NAMES.includes(name), name);
});

test("compose: the gateway may write nothing and has no rights, waits for the migration, and is as old as the project", () => {
  const { services } = yaml<{ services: Readonly<Record<string, Service>> }>("deploy/compose.yaml");
  const { version } = JSON.parse(read("package.json")) as { readonly version: string };
  for (const name of ["gateway", "migrate"]) {
    const { image, read_only, cap_drop } = services[name] ?? { image: "" };
    assert.deepEqual(
      { image, read_only, cap_drop },
      { image: `faregate:${version}`, read_only: true, cap_drop: ["ALL"] },
    );
  }
  assert.deepEqual(services.gateway?.depends_on?.migrate, { condition: "service_completed_successfully" });
  const asked = [...read("deploy/compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name = ""]) => name);
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(assignments(read("deploy/compose.env.example"))).sort());
});

test("unless somebody says so, /operator is closed to the outside, and no proxy leads to metrics", () => {
  const caddy = read("deploy/Caddyfile");
  const [, outsider = ""] = /@outsider \{([^}]*(?:\{[^}]*\}[^}]*)*)\}\s*respond @outsider 403\n/.exec(caddy) ?? [];
  const lines = outsider.trim().split(/\s*\n\s*/);
  assert.deepEqual(lines, ["path /operator /operator/*", "not remote_ip {$OPERATOR_NETWORKS:127.0.0.1/32}"]);
  const { ingress } = yaml<{ ingress: { readonly enabled: boolean; readonly paths: readonly string[] } }>(
    `${CHART}/values.yaml`,
  );
  assert.deepEqual(ingress.paths, ["/api", "/notifications", "/docs", "/openapi.json"]);
  for (const file of [`${CHART}/templates/service.yaml`, "deploy/Caddyfile"])
    assert.doesNotMatch(read(file), /metrics/i);
});

/** In the Secret, in the image, or set by the chart's own values. */
const NOT_BY_SETTINGS =
  /^(HOST|PORT|DATABASE_URL|FAREGATE_SECRET|METRICS_\w+|FAREGATE_MASTER_KEY|\w+_KEY_FILE)(_FILE)?$/;

test("the chart takes each setting of the gateway that is no secret, and no other", () => {
  const { properties } = JSON.parse(read(`${CHART}/values.schema.json`));
  const { additionalProperties, properties: settings } = properties.settings;
  assert.equal(additionalProperties, false);
  assert.deepEqual(Object.keys(settings).sort(), SETTING_NAMES.filter((name) => !NOT_BY_SETTINGS.test(name)).sort());
  const inRange = {
    FAREGATE_DATA: "/data",
    BASE_PATH: "/pay",
    PROXY_PROTOCOL: "10.0.0.7",
    PUBLIC_URL: "https://pay.example.com",
    TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces",
    TRUST_PROXY: "10.0.0.0/8",
  };
  for (const [name, { enum: values = [inRange[name as keyof typeof inRange] ?? "1"] }] of Object.entries<{
    enum?: string[];
  }>(settings))
    for (const value of values)
      assertSettings({ FAREGATE_MODE: "live", ...(name !== "FAREGATE_MODE" && { [name]: value }) });
});

test("the chart's dashboard and alerts are those of the docs", () => {
  assert.equal(read(`${CHART}/files/dashboard.json`), read("docs/grafana/faregate.json"));
  assert.equal(read(`${CHART}/files/rules.yml`), read("docs/prometheus/faregate.rules.yml"));
});

test("the chart is of this version, its values fit its schema, and its templates use only values that are there", () => {
  const { version } = JSON.parse(read("package.json")) as { readonly version: string };
  const chart = yaml<{ readonly version: string; readonly appVersion: string }>(`${CHART}/Chart.yaml`);
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  const values = yaml<Record<string, Record<string, unknown>>>(`${CHART}/values.yaml`);
  const check = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(read(`${CHART}/values.schema.json`)),
  );
  assert.ok(check(values), JSON.stringify(check.errors));
  assert.equal(check({ ...values, replicas: 0 }), false);
  assert.equal(check({ ...values, settings: { FAREGATE_SECRET: "in the clear" } }), false);
  for (const file of globSync(`${CHART}/templates/*`, { cwd: ROOT }))
    for (const [used, section = "", name] of read(file).matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)) {
      assert.ok(section in values, `${file}: ${used}`);
      if (name !== undefined) assert.ok(name in (values[section] ?? {}), `${file}: ${used}`);
    }
});
