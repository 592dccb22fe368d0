// Kill Bill in Tomcat, on a PostgreSQL like the gateway's own, in a folder of its own. Its own properties are used, with what differs
// named in `properties`: where the database is, rounds of the password hash, and no test mode.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, cpSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPool } from "../../src/journal/database.ts";
import { SUPERUSER } from "../../src/journal/embedded/cluster.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { newFolder } from "../data.ts";
import { freePort } from "../free-port.ts";
import { databasePidOn } from "../gateway.ts";
import type { Undo } from "../undo.ts";
import type { Needs } from "./needs.ts";
import { LISTED, type Peer } from "./peer.ts";

/** Its default is 200,000, of which each request does all: they would hide what a payment costs. */
export const HASH_ROUNDS = 10;
/** Payments of one account wait for each other there, so there are enough that they seldom meet. */
export const ACCOUNTS = 128;
/** As its own script (bin/start-server) starts it. */
export const JAVA_OPTIONS = ["-Xms512m", "-Xmx2048m", "-XX:MaxDirectMemorySize=512m"];

/** As the same script has it: what its libraries look into. */
const OPENED = ["java.lang", "java.net", "java.security", "java.util"].flatMap((name) => [
  "--add-opens",
  `java.base/${name}=ALL-UNNAMED`,
]);
/** Built in; approves every payment at once, and keeps nothing of its own. */
const PLUGIN = "__EXTERNAL_PAYMENT__";
const MODULES = "util account beatrix catalog entitlement invoice payment subscription tenant usage".split(" ");
const READY_WITHIN_MS = 300_000;
const STOPPED_WITHIN_MS = 60_000;
const POLL_MS = 250;
const AT_ONCE = 16;
const KEY = { "x-killbill-apikey": "bench", "x-killbill-apisecret": "bench" };
const CALLER = {
  authorization: `Basic ${Buffer.from("admin:password").toString("base64")}`,
  "content-type": "application/json",
  "x-killbill-createdby": "bench",
};

/** @param say told of what takes long */
export async function openKillBill(undo: Undo, needs: Needs, say: (line: string) => void): Promise<Peer> {
  const folder = newFolder(undo);
  say(`  Kill Bill ${needs.version}: unpacked, with its tables`);
  const app = unpack(needs, folder);
  const database = await openItsDatabase(undo, folder);
  for (const sql of schemaOf(needs, app, folder)) await database.sql.unsafe(sql);
  say(`  Kill Bill ${needs.version}: starting in Tomcat ${needs.tomcatVersion}, Java ${needs.javaVersion}`);
  const { url, pid } = await startTomcat(undo, needs, folder, properties(app, folder, database));
  const accounts = await openAccounts(url);
  return { ...database, url, pid, ...requestsOf(accounts), counted: () => countedIn(database.sql) };
}

type Database = Awaited<ReturnType<typeof openItsDatabase>>;

/** The driver of Java speaks TCP only: it listens on a loopback address of this run's own. */
async function openItsDatabase(undo: Undo, dataFolder: string) {
  const address = `127.${10 + (process.pid % 240)}.${(process.pid >> 8) % 250}.1`;
  const settings = { listen_addresses: address, max_connections: "250" };
  const log = (): void => undefined;
  const { connection } = await undo.started(startEmbedded({ dataFolder, log, settings }));
  // Its tables come with an event trigger, which only a superuser creates.
  const superuser = { ...connection, user: SUPERUSER };
  const sql = openPool(superuser, "measurement", { statementTimeoutMs: 60_000, deadlineMs: 70_000 });
  undo.add(() => sql.end({ timeout: 1 }));
  return { address, connection: superuser, sql, databasePid: databasePidOn(dataFolder) ?? 0 };
}

function unpack({ war, jar }: Needs, folder: string): string {
  const app = join(folder, "webapps/ROOT");
  mkdirSync(app, { recursive: true });
  execFileSync(jar, ["xf", war], { cwd: app });
  return app;
}

/** PostgreSQL's types first, then each module's tables, out of the module's archive. */
function schemaOf({ jar }: Needs, app: string, folder: string): readonly string[] {
  const libraries = join(app, "WEB-INF/lib");
  const place = join(folder, "schema");
  mkdirSync(place);
  const files = ["util/ddl-postgresql.sql", ...MODULES.map((name) => `${name}/ddl.sql`)];
  return files.map((file) => {
    const [name = ""] = file.split("/");
    const archive = readdirSync(libraries).find((one) => new RegExp(`^killbill-${name}-\\d.*\\.jar$`).test(one));
    if (archive === undefined) throw new Error(`${libraries} has no archive of Kill Bill's module ${name}.`);
    const inside = `org/killbill/billing/${file}`;
    execFileSync(jar, ["xf", join(libraries, archive), inside], { cwd: place });
    return readFileSync(join(place, inside), "utf8");
  });
}

function properties(app: string, folder: string, { address, connection }: Database): string {
  const { port, user, password, database } = connection;
  const url = `jdbc:postgresql://${address}:${port}/${database}`;
  const ours: Readonly<Record<string, string | number>> = {
    ...{ "org.killbill.dao.url": url, "org.killbill.dao.user": user, "org.killbill.dao.password": password },
    "org.killbill.billing.osgi.dao.url": url,
    "org.killbill.billing.osgi.dao.user": user,
    "org.killbill.billing.osgi.dao.password": password,
    "org.killbill.dao.logLevel": "INFO",
    "org.killbill.osgi.bundle.install.dir": join(folder, "bundles"),
    "org.killbill.osgi.root.dir": join(folder, "osgi"),
    // Its default; what it ships with is five seconds, for its own tests, and a busy machine takes longer to start.
    "org.killbill.payment.plugin.timeout": "30s",
    "org.killbill.security.shiroNbHashIterations": HASH_ROUNDS,
    "org.killbill.server.baseUrl": "http://127.0.0.1",
    "org.killbill.server.multitenant": "true",
    "org.killbill.server.test.mode": "false",
    "org.killbill.server.updateCheck.skip": "true",
  };
  const shipped = readFileSync(join(app, "WEB-INF/classes/killbill-server.properties"), "utf8")
    .split("\n")
    .filter((line) => !Object.hasOwn(ours, (line.split("=")[0] ?? "").trim()));
  const lines = Object.entries(ours).map(([name, value]) => `${name}=${value}`);
  const file = join(folder, "killbill.properties");
  writeFileSync(file, [...shipped, ...lines, ""].join("\n"), { mode: 0o600 });
  return file;
}

/** Warnings only: a line a payment would cost what the gateway does not spend as it ships. */
const LOGBACK = `<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %level %logger %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="STDOUT"/></root>
</configuration>
`;

async function startTomcat(undo: Undo, { java, tomcat }: Needs, folder: string, settings: string) {
  const port = await freePort();
  for (const name of ["conf", "logs", "temp", "work", "bundles", "osgi"]) mkdirSync(join(folder, name));
  cpSync(join(tomcat, "conf/web.xml"), join(folder, "conf/web.xml"));
  chmodSync(join(folder, "conf/web.xml"), 0o600);
  writeFileSync(join(folder, "conf/server.xml"), serverXml(port));
  const logging = join(folder, "conf/logback.xml");
  writeFileSync(logging, LOGBACK);
  const classes = ["bootstrap.jar", "tomcat-juli.jar"].map((name) => join(tomcat, "bin", name)).join(":");
  const defines = {
    ...{ "catalina.home": tomcat, "catalina.base": folder, "java.io.tmpdir": join(folder, "temp") },
    "java.awt.headless": "true",
    "java.security.egd": "file:/dev/./urandom",
    "logback.configurationFile": logging,
    "org.killbill.server.properties": `file://${settings}`,
    "user.timezone": "GMT",
  };
  const words = [
    ...JAVA_OPTIONS,
    ...OPENED,
    ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
    ...["-cp", classes, "org.apache.catalina.startup.Bootstrap", "start"],
  ];
  const file = join(folder, "killbill.log");
  const log = openSync(file, "a", 0o600);
  // A group of its own: Ctrl-C reaches the measurement, which stops it in order.
  const child = spawn(java, words, { cwd: folder, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  undo.add(() => stop(child));
  const url = `http://127.0.0.1:${port}`;
  await ready(child, url, file);
  return { url, pid: child.pid ?? 0 };
}

const serverXml = (port: number): string => `<?xml version="1.0" encoding="UTF-8"?>
<Server port="-1">
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="${port}" protocol="HTTP/1.1" connectionTimeout="20000" keepAliveTimeout="300000" maxKeepAliveRequests="-1"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" unpackWARs="false" autoDeploy="false"/>
    </Engine>
  </Service>
</Server>
`;

async function ready(child: ChildProcess, url: string, log: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const { status } = await fetch(`${url}/1.0/healthcheck`).catch(() => ({ status: 0 }));
    if (status === 200) return;
  }
  throw new Error(`Kill Bill does not start:\n${readFileSync(log, "utf8").slice(-5_000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
  await end;
  clearTimeout(killer);
}

/** A tenant, and accounts that pay by the method that is approved in process. @returns their ids */
async function openAccounts(url: string): Promise<readonly string[]> {
  const create = async (path: string, body: object): Promise<string> => {
    const headers = { ...CALLER, ...KEY };
    const answer = await fetch(`${url}/1.0/kb/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`Kill Bill, POST ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    return idIn(answer);
  };
  await create("tenants", { apiKey: "bench", apiSecret: "bench", externalKey: "bench" });
  const open = async (nth: number): Promise<string> => {
    const id = await create("accounts", { name: `Jane Doe ${nth}`, externalKey: `jane-${nth}`, currency: "USD" });
    await create(`accounts/${id}/paymentMethods?isDefault=true`, {
      externalKey: `external-${nth}`,
      pluginName: PLUGIN,
    });
    return id;
  };
  const accounts: string[] = [];
  while (accounts.length < ACCOUNTS)
    accounts.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => open(accounts.length + nth)))));
  return accounts;
}

/** What was created is named by the header `Location`. */
const idIn = (answer: Response): string => /([0-9a-f-]{36})\/?$/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";

function requestsOf(accounts: readonly string[]) {
  // The load writes the body's length into them, so each request has its own.
  const headers = () => ({ ...CALLER, ...KEY });
  let nth = 0;
  return {
    ...{ name: "Kill Bill" as const, done: 201, isApproved: () => true }, // declined is 402, unknown 503
    payments: (run: string) => () => {
      const key = `${run}-${++nth}`;
      const payment = { transactionType: "PURCHASE", amount: "3.56", currency: "USD" };
      const body = JSON.stringify({ ...payment, paymentExternalKey: key, transactionExternalKey: `t-${key}` });
      return {
        method: "POST" as const,
        path: `/1.0/kb/accounts/${accounts[nth % ACCOUNTS]}/payments`,
        headers: headers(),
        body,
      };
    },
    idOf: async (answer: Response) => {
      await answer.arrayBuffer();
      return idIn(answer);
    },
    refund: (id: string) => ({
      ...{
        method: "POST" as const,
        path: `/1.0/kb/payments/${id}/refunds`,
        headers: headers(),
        body: '{"amount":"1.00"}',
      },
    }),
    list: { method: "GET" as const, path: `/1.0/kb/payments/pagination?offset=0&limit=${LISTED}`, headers: headers() },
    isList: (body: string) => (JSON.parse(body) as unknown[]).length === LISTED,
  };
}

async function countedIn(sql: Database["sql"]): Promise<{ readonly approved: number; readonly others: number }> {
  const [row] = await sql<{ approved: number; others: number }[]>`
    select count(*) filter (where transaction_status = 'SUCCESS')::int as approved,
           count(*) filter (where transaction_status <> 'SUCCESS')::int as others
    from payment_transactions`;
  return row ?? { approved: 0, others: 0 };
}
