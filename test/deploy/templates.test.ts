// Files for other people's services: forms of issues, the workflow, and templates for Railway and Fly. None of these can be tried here; what they
// name exists, and they have the form that their readers document.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parse as parseToml } from "smol-toml";
import { parse } from "yaml";
import { readSettings } from "../../src/settings.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const closed = (properties: object, required: readonly string[] = []) => ({
  ...{ type: "object", properties, required },
  additionalProperties: false,
});
const text = { type: "string", minLength: 1 };
const seconds = { type: "integer", minimum: 0 };

function assertForm(schema: object, value: unknown, file: string): void {
  const check = ajv.compile(schema);
  assert.ok(check(value), `${file}: ${ajv.errorsText(check.errors)}`);
}

/** GitHub, "Syntax for GitHub's form schema". */
const element = {
  ...{ type: "object", required: ["type", "attributes"], additionalProperties: false },
  properties: {
    type: { enum: ["markdown", "textarea", "input", "dropdown", "checkboxes"] },
    id: { type: "string", pattern: "^[\\w-]+$" },
    attributes: closed({
      ...{
        label: text,
        description: text,
        placeholder: text,
        render: text,
        value: text,
        multiple: { type: "boolean" },
      },
      options: {
        type: "array",
        minItems: 1,
        items: { anyOf: [text, closed({ label: text, required: { type: "boolean" } }, ["label"])] },
      },
    }),
    validations: closed({ required: { type: "boolean" } }),
  },
};
const FORM = closed(
  {
    name: text,
    description: text,
    title: text,
    labels: { type: "array", items: text },
    body: { type: "array", minItems: 1, items: element },
  },
  ["name", "description", "body"],
);

test("the forms of issues are of GitHub's form, ask for each thing once, and warn of card data", () => {
  const files = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: ROOT }).filter((file) => !file.endsWith("config.yml"));
  assert.equal(files.length, 3);
  for (const file of files) {
    const form = parse(read(file), { strict: true }) as {
      readonly body: readonly {
        readonly type: string;
        readonly id?: string;
        readonly attributes: { readonly label?: string };
      }[];
    };
    assertForm(FORM, form, file);
    const asked = form.body.filter(({ type }) => type !== "markdown");
    assert.equal(new Set(asked.map(({ id }) => id ?? "")).size, asked.length, file);
    assert.ok(
      asked.every(({ id, attributes }) => id !== undefined && attributes.label !== undefined),
      file,
    );
  }
  for (const file of ["bug.yml", "processor.yml"]) assert.match(read(`.github/ISSUE_TEMPLATE/${file}`), /card/);
  assert.deepEqual(parse(read(".github/ISSUE_TEMPLATE/config.yml")), { blank_issues_enabled: false });
});

test("the workflow runs the README's two commands, may only read, has an end, and pins each action by its commit", () => {
  const workflow = parse(read(".github/workflows/test.yml"), { strict: true }) as {
    readonly permissions: object;
    readonly jobs: Readonly<
      Record<
        string,
        {
          readonly "timeout-minutes"?: number;
          readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
        }
      >
    >;
  };
  assert.deepEqual(workflow.permissions, { contents: "read" });
  for (const [name, job] of Object.entries(workflow.jobs)) {
    assert.ok(job["timeout-minutes"] !== undefined, name);
    for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    const runs = job.steps.map(({ run = "" }) => run).join("\n");
    for (const command of ["npm test", "npm start"]) assert.match(runs, new RegExp(`^${command}\\b`, "m"));
  }
});

const settingsRead = (env: Readonly<Record<string, string>>) => {
  const secrets = { DATABASE_URL: "postgres://u:p@h/db", FAREGATE_SECRET: "0f".repeat(32) };
  const settings = readSettings({ FAREGATE_MODE: "live", ...env, ...secrets });
  assert.ok(settings.ok, settings.ok ? "" : settings.problems.join("; "));
};
/** In the image, and how long it may be about stopping. */
const PORT = Number(/^ENV [\s\S]*?PORT=(\d+)/m.exec(read("deploy/Dockerfile"))?.[1]);
const STOP_SECONDS = 90;

test("Railway's file has only what Railway documents, and names what the image has", () => {
  const RAILWAY = closed(
    {
      $schema: text,
      build: closed({ builder: { const: "DOCKERFILE" }, dockerfilePath: text }, ["builder", "dockerfilePath"]),
      deploy: closed(
        {
          preDeployCommand: { type: "array", items: text },
          ...{ healthcheckPath: { type: "string", pattern: "^/" }, healthcheckTimeout: seconds },
          ...{
            restartPolicyType: { enum: ["ON_FAILURE", "ALWAYS", "NEVER"] },
            overlapSeconds: seconds,
            drainingSeconds: seconds,
          },
        },
        ["healthcheckPath"],
      ),
    },
    ["build", "deploy"],
  );
  const railway = JSON.parse(read("deploy/railway.json"));
  assertForm(RAILWAY, railway, "railway.json");
  assert.ok(existsSync(join(ROOT, railway.build.dockerfilePath)));
  assert.equal(railway.deploy.healthcheckPath, "/health/ready");
  assert.ok(railway.deploy.drainingSeconds >= STOP_SECONDS);
  const [, node = "", program = ""] = /^ENTRYPOINT \["([^"]+)".*"([^"]+)"\]$/m.exec(read("deploy/Dockerfile")) ?? [];
  assert.deepEqual(railway.deploy.preDeployCommand, [`${node} ${program} migrate`]);
});

test("Fly's file is TOML, its port is the image's, and its settings are the gateway's", () => {
  const fly = parseToml(read("deploy/fly.toml")) as unknown as {
    readonly kill_timeout: string;
    readonly build: { readonly dockerfile: string };
    readonly deploy: { readonly release_command: string };
    readonly env: Readonly<Record<string, string>>;
    readonly http_service: { readonly internal_port: number; readonly checks: readonly { readonly path: string }[] };
  };
  settingsRead(fly.env);
  assert.equal(fly.http_service.internal_port, PORT);
  assert.deepEqual(
    fly.http_service.checks.map(({ path }) => path),
    ["/health/ready"],
  );
  assert.ok(Number.parseInt(fly.kill_timeout, 10) >= STOP_SECONDS);
  assert.ok(existsSync(join(ROOT, "deploy", fly.build.dockerfile)));
  assert.equal(fly.deploy.release_command, "migrate");
});
