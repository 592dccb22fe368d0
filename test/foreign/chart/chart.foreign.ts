// The Helm chart, rendered by Helm with many values and decoded by Kubernetes' own types, which refuse a field that they do not know.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ROOT } from "../../runner/jobs.ts";
import { goProgram, run } from "../tools.ts";

const CHART = join(ROOT, "deploy/helm/faregate");
const HELM = "v3.22.0";
const METRICS = { enabled: true, tokenSecretName: "prometheus" };

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of an object, it says by looking for it
type Value = any;

const EVERYTHING = {
  image: { digest: `sha256:${"0f".repeat(32)}` },
  imagePullSecrets: [{ name: "registry" }],
  serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/faregate" } },
  migration: { secretName: "owner", grantTo: "gateway", deadlineSeconds: 86_400 },
  database: { ca: { configMapName: "ca", key: "root.crt" } },
  settings: { RATE_LIMIT_PER_MINUTE: 1_000_000, TRACES_SHARE: 0.01, TRUST_PROXY: "10.0.0.0/8", BASE_PATH: "/pay" },
  extraEnv: [{ name: "FAREGATE_SECRET_FILE", value: "/etc/faregate/secrets/secret" }],
  extraEnvFrom: [{ configMapRef: { name: "more" } }],
  extraVolumes: [{ name: "secrets", secret: { secretName: "files", defaultMode: 0o440 } }],
  extraVolumeMounts: [{ name: "secrets", mountPath: "/etc/faregate/secrets", readOnly: true }],
  ingress: { enabled: true, className: "nginx", annotations: { a: "b" }, tlsSecretName: "tls" },
  metrics: {
    ...METRICS,
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    rules: { enabled: true, labels: { release: "prometheus" } },
    dashboard: { enabled: true },
  },
  autoscaling: { enabled: true },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { name: "ingress" } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }],
    egress: [{ ports: [{ port: 5432 }], to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }, { ports: [{ port: 443 }] }],
  },
  podAnnotations: { team: "payments" },
  nodeSelector: { "kubernetes.io/arch": "arm64" },
  tolerations: [{ key: "payments", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
};

/** Values beside the chart's own, and the kinds of what they add to or take from what is always there. */
const MATRIX: readonly (readonly [string, Value, readonly string[]])[] = [
  ["its own values", {}, ["PodDisruptionBudget", "ServiceAccount", "Job"]],
  [
    "nothing that can be left out",
    { podDisruptionBudget: { enabled: false }, serviceAccount: { create: false }, migration: { enabled: false } },
    [],
  ],
  ["an account that is there", { serviceAccount: { create: false, name: "payments" } }, ["PodDisruptionBudget", "Job"]],
  ["no settings at all", { settings: null }, ["PodDisruptionBudget", "ServiceAccount", "Job"]],
  [
    "an authority in a Secret",
    { database: { ca: { secretName: "ca" } } },
    ["PodDisruptionBudget", "ServiceAccount", "Job"],
  ],
  ["metrics", { metrics: METRICS }, ["PodDisruptionBudget", "ServiceAccount", "Job", "Service"]],
  [
    "alerts without a port",
    { metrics: { rules: { enabled: true } } },
    ["PodDisruptionBudget", "ServiceAccount", "Job", "PrometheusRule"],
  ],
  [
    "a policy for all",
    { networkPolicy: { enabled: true } },
    ["PodDisruptionBudget", "ServiceAccount", "Job", "NetworkPolicy"],
  ],
  [
    "everything",
    EVERYTHING,
    [
      "PodDisruptionBudget",
      "ServiceAccount",
      "Job",
      "Service",
      "Ingress",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
      "ServiceMonitor",
      "PrometheusRule",
      "ConfigMap",
    ],
  ],
];
const ALWAYS = ["Deployment", "Service"];

/** Values, and what Helm says of them. */
const REFUSED: readonly (readonly [Value, RegExp])[] = [
  [{ settings: { TRUST_PROXIES: "10.0.0.0/8" } }, /TRUST_PROXIES/],
  [{ settings: { rate_limit_per_minute: 5 } }, /rate_limit_per_minute/],
  [{ settings: { FAREGATE_SECRET: "in the clear" } }, /FAREGATE_SECRET/],
  [{ settings: { DATABASE_URL_FILE: "/x" } }, /DATABASE_URL_FILE/],
  [{ settings: { METRICS_PORT: 9464 } }, /METRICS_PORT/],
  // YAML 1.1 reads an unquoted `off` as false.
  [{ settings: { HEAVY_WORKER: false } }, /HEAVY_WORKER/],
  [{ settings: { LOG_LEVEL: "verbose" } }, /LOG_LEVEL/],
  [{ replicas: 0 }, /replicas/],
  [{ extraEnvs: [] }, /extraEnvs/],
  [{ extraVolumes: [{ emptyDir: {} }] }, /name/],
  [{ image: { digest: "latest" } }, /digest/],
  [{ metrics: { enabled: true } }, /tokenSecretName/],
];

describe("the chart", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-chart-"));
  let helm: string;
  let strict: string;
  before(async () => {
    helm = await goProgram("helm.sh/helm/v3/cmd/helm", HELM);
    strict = join(ROOT, "node_modules/.cache/faregate/foreign/strict");
    await run("go", ["build", "-o", strict, "."], { cwd: join(import.meta.dirname, "strict") });
  });
  after(() => rmSync(folder, { recursive: true }));

  const withHelm = (verb: readonly string[], values: Value) => {
    const file = join(folder, "values.json");
    writeFileSync(file, JSON.stringify(values));
    const words = [...verb, CHART, "--values", file, "--kube-version", "1.31"];
    return spawnSync(helm, words, { encoding: "utf8", timeout: 60_000 });
  };
  const rendered = (values: Value): Value[] => {
    const { status, stdout, stderr } = withHelm(["template", "pay", "--namespace", "faregate"], values);
    assert.equal(status, 0, stderr);
    const decoded = spawnSync(strict, { input: stdout, encoding: "utf8", timeout: 60_000 });
    assert.equal(decoded.status, 0, decoded.stderr);
    return decoded.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  const one = (objects: Value[], kind: string, name?: string): Value => {
    const found = objects.filter(
      (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
    );
    assert.equal(found.length, 1, `${kind} ${name}`);
    return found[0];
  };

  for (const [name, values, kinds] of MATRIX)
    test(`with ${name}, every object is one that Kubernetes takes, and what they name is there`, () => {
      const { status, stdout, stderr } = withHelm(["lint", "--strict"], values);
      assert.equal(status, 0, stdout + stderr);
      const objects = rendered(values);
      assert.deepEqual(objects.map(({ kind }) => kind).sort(), [...ALWAYS, ...kinds].sort());
      const { spec } = one(objects, "Deployment").spec.template;
      const [container] = spec.containers;
      const ports = container.ports.map((port: Value) => port.name);
      const labels = one(objects, "Deployment").spec.template.metadata.labels;
      for (const service of objects.filter(({ kind }) => kind === "Service")) {
        for (const { targetPort } of service.spec.ports) assert.ok(ports.includes(targetPort), targetPort);
        for (const [label, value] of Object.entries(service.spec.selector)) assert.equal(labels[label], value);
      }
      const pods = [spec, ...objects.filter(({ kind }) => kind === "Job").map((job) => job.spec.template.spec)];
      for (const pod of pods) {
        const volumes = (pod.volumes ?? []).map((volume: Value) => volume.name);
        for (const { name: mounted } of pod.containers[0].volumeMounts ?? [])
          assert.ok(volumes.includes(mounted), mounted);
        assert.equal(pod.automountServiceAccountToken ?? false, false);
        assert.deepEqual(pod.containers[0].securityContext.capabilities, { drop: ["ALL"] });
        assert.equal(pod.containers[0].securityContext.readOnlyRootFilesystem, true);
      }
      const made = objects.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name);
      // A hook runs before what the chart makes.
      for (const job of pods.slice(1)) assert.ok(!made.includes(job.serviceAccountName), job.serviceAccountName);
    });

  test("everything that can be added is where it belongs", () => {
    const objects = rendered(EVERYTHING);
    const deployment = one(objects, "Deployment");
    const [gateway] = deployment.spec.template.spec.containers;
    const [migration] = one(objects, "Job").spec.template.spec.containers;
    const env = Object.fromEntries(gateway.env.map(({ name, value }: Value) => [name, value]));
    assert.deepEqual(
      [env.RATE_LIMIT_PER_MINUTE, env.TRACES_SHARE, env.METRICS_HOST, env.METRICS_PORT, env.METRICS_TOKEN],
      ["1000000", "0.01", "0.0.0.0", "9464", undefined],
    );
    for (const container of [gateway, migration]) {
      assert.ok(container.env.some(({ name }: Value) => name === "FAREGATE_SECRET_FILE"));
      assert.deepEqual(container.envFrom[1], { configMapRef: { name: "more" } });
      const mounts = container.volumeMounts.map(({ mountPath }: Value) => mountPath);
      for (const path of ["/etc/faregate/database-ca", "/etc/faregate/secrets"]) assert.ok(mounts.includes(path), path);
      assert.equal(container.image, `faregate@sha256:${"0f".repeat(32)}`);
    }
    const [{ http }] = one(objects, "Ingress").spec.rules;
    assert.ok(
      http.paths.every(({ path }: Value) => path.startsWith("/pay/")),
      JSON.stringify(http.paths),
    );
    assert.equal(migration.envFrom[0].secretRef.name, "owner");
    assert.deepEqual(migration.args, ["migrate", "--grant-to", "gateway"]);
    assert.equal(one(objects, "Job").spec.activeDeadlineSeconds, 86_400);
    assert.equal(deployment.spec.replicas, undefined, "the autoscaler decides");
    const [endpoint] = one(objects, "ServiceMonitor").spec.endpoints;
    const metrics = one(objects, "Service", "pay-faregate-metrics");
    for (const [label, value] of Object.entries(one(objects, "ServiceMonitor").spec.selector.matchLabels))
      assert.equal(metrics.metadata.labels[label], value);
    assert.deepEqual(endpoint.authorization.credentials, { name: "prometheus", key: "METRICS_TOKEN" });
    assert.ok(one(objects, "PrometheusRule").spec.groups.length > 0);
    assert.ok(JSON.parse(one(objects, "ConfigMap").data["faregate.json"]).panels.length > 0);
    const { policyTypes, egress } = one(objects, "NetworkPolicy").spec;
    assert.deepEqual([policyTypes, egress.length], [["Ingress", "Egress"], 3]);
  });

  test("unless it is given one, the migration has no deadline that would end the building of an index", () => {
    const { spec } = one(rendered({}), "Job");
    assert.equal(spec.activeDeadlineSeconds, undefined);
    assert.equal(spec.template.metadata.annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"], "false");
  });

  for (const [values, says] of REFUSED)
    test(`refused, with what is wrong: ${JSON.stringify(values)}`, () => {
      const { status, stderr } = withHelm(["template", "pay"], values);
      assert.notEqual(status, 0);
      assert.match(stderr, says);
    });
});
