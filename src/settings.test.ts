import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { SETTING_NAMES } from "./setting-names.ts";
import { readSettings } from "./settings.ts";

const SECRET = Buffer.alloc(32, 7).toString("base64");
const DATABASE = "postgres://gateway:hush@db.example:5432/payments";
const ROOT = resolve(import.meta.dirname, "..");

function settingsOf(env: Record<string, string | undefined>) {
  const read = readSettings(env);
  assert.ok(read.ok, read.ok ? "" : read.problems.join("\n"));
  return read.settings;
}

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  const read = readSettings(env);
  return read.ok ? [] : read.problems;
}

test("without any setting the gateway is a sandbox on 127.0.0.1:8080 with its data in the project", () => {
  assert.deepEqual(settingsOf({}), {
    host: "127.0.0.1",
    port: 8080,
    mode: "sandbox",
    databaseUrl: undefined,
    dataFolder: join(ROOT, "data"),
    rateLimitPerMinute: 1000,
    failedAuthenticationsPerMinute: 30,
    trustProxy: [],
    proxyProtocol: [],
    basePath: "",
    publicUrl: undefined,
    challengeMinutes: 30,
    workers: undefined,
    heavyWorker: true,
    metrics: undefined,
    traces: undefined,
    accessLog: false,
    logLevel: "info",
    logFormat: undefined,
    secret: undefined,
    masterKeys: undefined,
    masterKeyFile: undefined,
    fenceFile: undefined,
  });
});

test("the process for heavy requests is on or off", () => {
  const of = (text: string) => readSettings({ HEAVY_WORKER: text });
  for (const [text, on] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const read = of(text);
    assert.equal(read.ok && read.settings.heavyWorker, on);
  }
  assert.deepEqual(of("no"), { ok: false, problems: ['HEAVY_WORKER is "no", but must be on or off'] });
});

test("traces are sent where an address says, all of them unless a share is given", () => {
  const TRACES_ENDPOINT = "http://127.0.0.1:4318/v1/traces";
  assert.deepEqual(settingsOf({ TRACES_ENDPOINT }).traces, { endpoint: TRACES_ENDPOINT, share: 1 });
  assert.deepEqual(settingsOf({ TRACES_ENDPOINT, TRACES_SHARE: "0.01" }).traces?.share, 0.01);
  for (const TRACES_SHARE of ["0", "1.1", "1%", "-1"])
    assert.equal(problemsOf({ TRACES_ENDPOINT, TRACES_SHARE }).length, 1, TRACES_SHARE);
  for (const wrong of ["127.0.0.1:4318", "http://127.0.0.1:4318", "http://user:secret@host/v1/traces", "on"])
    assert.equal(problemsOf({ TRACES_ENDPOINT: wrong }).length, 1, wrong);
});

test("the access log is off unless it is on", () => {
  for (const [text, on] of [
    ["on", true],
    ["off", false],
  ] as const)
    assert.equal(settingsOf({ ACCESS_LOG: text }).accessLog, on);
  assert.deepEqual(problemsOf({ ACCESS_LOG: "yes" }), ['ACCESS_LOG is "yes", but must be on or off']);
});

test("without METRICS_PORT there are no figures; with it they are for this machine, or for whoever has the token", () => {
  const of = (env: Record<string, string>) => {
    const { host, port, token } = settingsOf(env).metrics ?? {};
    return [host, port, token?.reveal()];
  };
  assert.equal(settingsOf({ METRICS_TOKEN: "t".repeat(16) }).metrics, undefined);
  assert.deepEqual(of({ METRICS_PORT: "9464" }), ["127.0.0.1", 9464, undefined]);
  for (const host of ["localhost", "::1", "127.0.0.2"])
    assert.deepEqual(of({ METRICS_PORT: "0", METRICS_HOST: host }), [host, 0, undefined]);
  const token = Buffer.alloc(32, 9).toString("base64");
  const everybody = { METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" };
  assert.deepEqual(of({ ...everybody, METRICS_TOKEN: token }), ["0.0.0.0", 9464, token]);
  assert.ok(!inspect(settingsOf({ ...everybody, METRICS_TOKEN: token })).includes(token));
  for (const host of ["0.0.0.0", "::", "10.0.0.7", "metrics.example"])
    assert.deepEqual(problemsOf({ METRICS_PORT: "9464", METRICS_HOST: host }), [
      `METRICS_HOST is "${host}", which other machines can reach: METRICS_TOKEN must be set, 16 to 256 letters, digits ` +
        "and . _ ~ + / - (openssl rand -base64 32)",
    ]);
  assert.deepEqual(problemsOf({ METRICS_PORT: "65536" }), [
    'METRICS_PORT is "65536", but must be a whole number from 0 to 65535',
  ]);
  assert.deepEqual(problemsOf({ METRICS_PORT: "1", METRICS_TOKEN: "short secret" }), [
    "METRICS_TOKEN must be 16 to 256 letters, digits and . _ ~ + / - (openssl rand -base64 32)",
  ]);
});

test("there is at least one worker", () => {
  assert.equal(settingsOf({ WORKERS: "1" }).workers, 1);
  assert.equal(settingsOf({ WORKERS: "128" }).workers, 128);
  for (const wrong of ["0", "129", "two", "-1", "1.5"])
    assert.deepEqual(problemsOf({ WORKERS: wrong }), [
      `WORKERS is "${wrong}", but must be a whole number from 1 to 128`,
    ]);
});

test("an empty text is as good as unset", () => {
  const names = [
    "HOST",
    "PORT",
    "FAREGATE_MODE",
    "DATABASE_URL",
    "FAREGATE_DATA",
    "RATE_LIMIT_PER_MINUTE",
    "FAILED_AUTHENTICATIONS_PER_MINUTE",
    "TRUST_PROXY",
    "ACCESS_LOG",
    "METRICS_HOST",
    "METRICS_PORT",
    "METRICS_TOKEN",
    "WORKERS",
    "TRACES_ENDPOINT",
    "TRACES_SHARE",
    "LOG_LEVEL",
    "LOG_FORMAT",
  ];
  const empty = Object.fromEntries([...names, "FAREGATE_SECRET"].map((name) => [name, ""]));
  assert.deepEqual(settingsOf(empty), settingsOf({}));
});

test("proxies are addresses and networks of either family; all the world is none", () => {
  for (const [text, expected] of [
    ["192.0.2.7", ["192.0.2.7"]],
    ["10.0.0.0/8,2001:db8::/32, ::1", ["10.0.0.0/8", "2001:db8::/32", "::1"]],
  ] as const)
    assert.deepEqual(settingsOf({ TRUST_PROXY: text }).trustProxy, expected);
  for (const text of [
    "true",
    "1",
    "loopback",
    "10.0.0.0/33",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.1,",
    "10.0.0/8",
    "fe80::1%eth0",
  ])
    assert.deepEqual(problemsOf({ TRUST_PROXY: text }), [
      `TRUST_PROXY is ${JSON.stringify(text)}, but must be IP addresses or networks of your proxies, with commas between ` +
        "them, such as 10.0.0.0/8, 192.0.2.7",
    ]);
});

const taken: readonly [
  name: string,
  text: string,
  setting: "host" | "port" | "rateLimitPerMinute" | "failedAuthenticationsPerMinute" | "logLevel" | "logFormat",
][] = [
  ["HOST", "0.0.0.0", "host"],
  ["HOST", "::1", "host"],
  ["HOST", "localhost", "host"],
  ["HOST", "gateway.example", "host"],
  ["PORT", "0", "port"],
  ["PORT", "65535", "port"],
  ["RATE_LIMIT_PER_MINUTE", "0", "rateLimitPerMinute"],
  ["RATE_LIMIT_PER_MINUTE", "100000", "rateLimitPerMinute"],
  ["FAILED_AUTHENTICATIONS_PER_MINUTE", "0", "failedAuthenticationsPerMinute"],
  ["LOG_LEVEL", "silent", "logLevel"],
  ["LOG_FORMAT", "json", "logFormat"],
  ["LOG_FORMAT", "text", "logFormat"],
];
for (const [name, text, setting] of taken) {
  test(`${name}=${text} is taken`, () => {
    assert.equal(String(settingsOf({ [name]: text })[setting]), text);
  });
}

const refused: readonly [name: string, text: string, problem: string][] = [
  ["HOST", "127.0.0.256", 'HOST is "127.0.0.256", but must be an IP address or a host name'],
  ["HOST", "http://localhost", 'HOST is "http://localhost", but must be an IP address or a host name'],
  ["PORT", "65536", 'PORT is "65536", but must be a whole number from 0 to 65535'],
  ["PORT", "-1", 'PORT is "-1", but must be a whole number from 0 to 65535'],
  ["PORT", "80.5", 'PORT is "80.5", but must be a whole number from 0 to 65535'],
  ["PORT", " ", 'PORT is " ", but must be a whole number from 0 to 65535'],
  ["PORT", "0x50", 'PORT is "0x50", but must be a whole number from 0 to 65535'],
  [
    "RATE_LIMIT_PER_MINUTE",
    "many",
    'RATE_LIMIT_PER_MINUTE is "many", but must be a whole number, 0 for no limit at all',
  ],
  ["LOG_FORMAT", "pretty", 'LOG_FORMAT is "pretty", but must be json or text'],
  ["LOG_LEVEL", "INFO", 'LOG_LEVEL is "INFO", but must be one of fatal, error, warn, info, debug, trace, silent'],
  ["FAREGATE_MODE", "production", 'FAREGATE_MODE is "production", but must be sandbox or live'],
];
for (const [name, text, problem] of refused) {
  test(`${name}=${JSON.stringify(text)} is refused with what would be right`, () => {
    assert.deepEqual(problemsOf({ [name]: text }), [problem]);
  });
}

/** Of every setting that has a form or a limit. What hides or turns text, or is outside of a limit, is no value of any. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  HOST: [" ", " 127.0.0.1", "127.0.0.1:80", "a b", "a\n", "a..b", "-a", "x".repeat(254), "a\u202eb"],
  PORT: ["65536", "8e3", "80\n", "٨٠", "+80"],
  RATE_LIMIT_PER_MINUTE: ["-1", "1.5", "1000000001", "1e3", "∞"],
  FAILED_AUTHENTICATIONS_PER_MINUTE: ["-1", "0.5", "1000000001", "off"],
  PROXY_PROTOCOL: ["on", "v2", "0.0.0.0/0", "lb.internal"],
  BASE_PATH: [
    "pay",
    "/pay/",
    "//pay",
    "/pay//x",
    "/..",
    "/a/./b",
    "/%70ay",
    "/pay?x",
    "/pay x",
    "/p\u202e",
    '/"',
    `/${"p".repeat(200)}`,
  ],
  PUBLIC_URL: ["pay.example.com", "http://pay.example", "https://a:b@pay.example", "https://pay.example/?x", "ftp://x"],
  CHALLENGE_MINUTES: ["0", "241", "-1", "1.5", "half an hour"],
  TRUST_PROXY: ["*", "localhost", "10.0.0.0/8 192.0.2.1", "10.0.0.0/-1", "10.0.0.0/0"],
  WORKERS: ["0", "129", "-1", "two"],
  HEAVY_WORKER: ["ON", "yes", "1", "on "],
  ACCESS_LOG: ["ON", "true", "0"],
  LOG_LEVEL: ["verbose", "info\n"],
  LOG_FORMAT: ["JSON", "xml"],
  FAREGATE_MODE: ["Live", "sandbox ", "test"],
  METRICS_HOST: ["127.0.0.256", "a b", "http://localhost", "a\u202eb"],
  METRICS_PORT: ["65536", "-1", "9464.0"],
  METRICS_TOKEN: ["short", "a".repeat(257), "token with blanks in it", "0123456789abcde\u001b"],
  TRACES_ENDPOINT: [
    ...["ftp://h/v1", "http://h", "http://h/", "http:h/v1", "http://u:p@h/v1", "http://:p@h/v1", "http://h:65536/v1"],
    ...[
      " http://h/v1",
      "http://h/v1\n",
      "http:\\\\h\\v1",
      "http://h/v1#x",
      "http://h/\u202ev1",
      `http://h/${"v".repeat(2_048)}`,
    ],
  ],
  TRACES_SHARE: ["0", "1.1", "-0.1", "1e-1", ".5", "0.0000001", "half"],
  DATABASE_URL: [
    ...["postgres://h:65536/db", "postgres://u:12#3@h/db", "postgres://u:12/3@h/db", "postgres://u:12?3@h/db"],
    ...["postgres://u:p@h/db\u0001", "postgres://u:p@h/db\u202e", "postgres://u:p@h/db\n", "http://u:p@h/db"],
  ],
  FAREGATE_SECRET: ["0f".repeat(31), `${"0f".repeat(32)}0`, `${SECRET}\n`, "not a secret"],
  FAREGATE_MASTER_KEY: ["AAAA", `${SECRET},`, `${SECRET},AAAA`, `${SECRET} ${SECRET}`],
  FAREGATE_MASTER_KEY_FILE: [" ", "key\n", "key\u001b[2J"],
  FAREGATE_DATA: [" ", "data\n", "data\u001b[2J", "da\u202eta", "data\u2028"],
  FAREGATE_FENCE_FILE: ["\t", "fence\n", "fence\u2066"],
  DATABASE_URL_FILE: [" ", "/", "/nowhere/at/all"],
  FAREGATE_SECRET_FILE: [" ", "/", "/nowhere/at/all"],
  METRICS_TOKEN_FILE: [" ", "/", "/nowhere/at/all"],
};

test("a wrong value of any setting is one problem, which names the setting", () => {
  for (const [name, texts] of Object.entries(wrong))
    for (const text of texts) {
      const problems = problemsOf({ FAREGATE_MODE: "sandbox", [name]: text });
      assert.deepEqual(
        problems.map((line) => line.split(" ")[0]),
        [name],
        `${name}=${JSON.stringify(text)}: ${problems}`,
      );
    }
  assert.deepEqual(Object.keys(wrong).sort(), SETTING_NAMES.toSorted(), "each setting has a row");
});

test("every wrong value is named at once", () => {
  assert.deepEqual(
    problemsOf({ PORT: "a", LOG_LEVEL: "b", FAREGATE_MODE: "c", FAREGATE_DATE: "d" }).map((line) => line.split(" ")[0]),
    ["FAREGATE_DATE", "PORT", "FAREGATE_MODE", "LOG_LEVEL"],
  );
});

const modes: readonly [env: Record<string, string>, mode: string][] = [
  [{}, "sandbox"],
  [{ DATABASE_URL: DATABASE, FAREGATE_SECRET: SECRET }, "live"],
  [{ DATABASE_URL: DATABASE, FAREGATE_MODE: "sandbox" }, "sandbox"],
  [{ DATABASE_URL: DATABASE, FAREGATE_SECRET: SECRET, FAREGATE_MODE: "live" }, "live"],
];
for (const [env, mode] of modes) {
  test(`with ${Object.keys(env).join(", ") || "nothing"} set${env.FAREGATE_MODE ? ` to ${mode}` : ""} the mode is ${mode}`, () => {
    assert.equal(settingsOf(env).mode, mode);
  });
}

test("live mode needs a database of one's own and a secret", () => {
  const problems = problemsOf({ FAREGATE_MODE: "live" });
  assert.equal(problems.length, 2);
  assert.match(problems[0] ?? "", /DATABASE_URL is not set/);
  assert.match(problems[1] ?? "", /FAREGATE_SECRET is not set/);
});

test("a database address without a secret is told that live mode needs one", () => {
  const problems = problemsOf({ DATABASE_URL: DATABASE });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /FAREGATE_SECRET is not set.*FAREGATE_MODE=sandbox/);
});

const databases: readonly [url: string, right: boolean][] = [
  ["postgres://localhost/payments", true],
  ["postgresql://gateway:p%40ss@10.0.0.1:5432/payments?sslmode=require", true],
  ["postgres://gateway@one.example,two.example:5433/payments", true],
  ["postgres:///payments?host=/run/postgresql", true],
  ["mysql://localhost/payments", false],
  ["localhost:5432/payments", false],
  ["postgres://", false],
  ["postgres://gateway:100%@localhost/payments", false],
  ["postgres://gateway:pass word@localhost/payments", false],
];
for (const [url, right] of databases) {
  test(`DATABASE_URL ${url} is ${right ? "taken" : "refused"}`, () => {
    const problems = problemsOf({ DATABASE_URL: url, FAREGATE_MODE: "sandbox" });
    assert.equal(problems.length, right ? 0 : 1);
    if (right) assert.equal(settingsOf({ DATABASE_URL: url, FAREGATE_MODE: "sandbox" }).databaseUrl?.reveal(), url);
  });
}

const bytes31 = Buffer.alloc(31, 0xfb);
const bytes32 = Buffer.alloc(32, 0xfb);
const secrets: readonly [what: string, text: string, bytes: Buffer | undefined][] = [
  ["32 bytes of hex", bytes32.toString("hex"), bytes32],
  ["32 bytes of base64", bytes32.toString("base64"), bytes32],
  ["32 bytes of base64url", bytes32.toString("base64url"), bytes32],
  ["31 bytes of hex", bytes31.toString("hex"), undefined],
  ["31 bytes of base64", bytes31.toString("base64"), undefined],
  ["an odd number of hex digits", `${bytes32.toString("hex")}a`, undefined],
  ["base64 with a letter too many", `${"A".repeat(44)}A`, undefined],
  ["base64 with spaces", `${bytes32.toString("base64")} ${bytes32.toString("base64")}`, undefined],
];
for (const [what, text, bytes] of secrets) {
  test(`a secret of ${what} is ${bytes ? "taken" : "refused"}`, () => {
    if (bytes) assert.deepEqual(settingsOf({ FAREGATE_SECRET: text }).secret?.reveal(), bytes);
    else
      assert.deepEqual(problemsOf({ FAREGATE_SECRET: text }), [
        "FAREGATE_SECRET must be at least 32 bytes as base64 or hex",
      ]);
  });
}

test("a database address prints without its password", () => {
  const { databaseUrl } = settingsOf({ DATABASE_URL: `${DATABASE}?password=hush`, FAREGATE_MODE: "sandbox" });
  assert.equal(String(databaseUrl), "postgres://gateway:•••@db.example:5432/payments");
});

test("neither a secret nor the database's password ever shows, right or wrong", () => {
  const right = settingsOf({ DATABASE_URL: DATABASE, FAREGATE_SECRET: SECRET });
  const shown = [
    inspect(right, { depth: 9, showHidden: true }),
    JSON.stringify(right),
    `${right.databaseUrl}${right.secret}`,
  ];
  const wrong = problemsOf({
    DATABASE_URL: "postgres://u:hush%@h/d",
    FAREGATE_SECRET: "hush",
    FAREGATE_MODE: "sandbox",
  });
  for (const text of [...shown, ...wrong]) assert.doesNotMatch(text, new RegExp(`hush|${SECRET.slice(0, 8)}`));
  assert.equal(wrong.length, 2);
});

const misspelt: readonly [name: string, problem: string][] = [
  ["FAREGATE_MOED", "FAREGATE_MOED is not a setting; did you mean FAREGATE_MODE?"],
  ["FAREGATE_SECRETS", "FAREGATE_SECRETS is not a setting; did you mean FAREGATE_SECRET?"],
  ["FAREGATE_PORT", "FAREGATE_PORT is not a setting; did you mean PORT?"],
  ["FAREGATE_DATABASE_URL", "FAREGATE_DATABASE_URL is not a setting; did you mean DATABASE_URL?"],
  ["FAREGATE_COLOUR", "FAREGATE_COLOUR is not a setting"],
];
for (const [name, problem] of misspelt) {
  test(`${name} is told apart from a setting`, () => {
    assert.deepEqual(problemsOf({ [name]: "x" }), [problem]);
  });
}

test("names of other programs are left alone", () => {
  assert.deepEqual(problemsOf({ PATH: "/bin", FAREGATE_SANDBOX: "sandbox.json", MY_FAREGATE_X: "1" }), []);
  const client = { FAREGATE_URL: "http://127.0.0.1:8080", FAREGATE_TOKEN: "fg_test_x", FAREGATE_OPERATOR_TOKEN: "x" };
  assert.deepEqual(problemsOf(client), []);
});

test("FAREGATE_DATA is a path from where the gateway is started", () => {
  assert.equal(settingsOf({ FAREGATE_DATA: "/srv/faregate" }).dataFolder, "/srv/faregate");
  assert.equal(settingsOf({ FAREGATE_DATA: "kept/here" }).dataFolder, resolve("kept/here"));
});
