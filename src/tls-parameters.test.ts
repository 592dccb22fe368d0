import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./settings.ts";

const MODES = "but must be disable, prefer, require, verify-ca or verify-full";
const NAMES = "but of TLS it can have sslmode, ssl, sslnegotiation, sslcert, sslkey or sslrootcert";

const parameters: readonly [query: string, problems: readonly string[]][] = [
  ["", []],
  ["?host=/run/postgresql&application_name=shop", []],
  ["?sslmode=disable", []],
  ["?sslmode=prefer", []],
  ["?sslmode=require#note", []],
  ["?sslmode=verify-ca&sslrootcert=/etc/ca.pem", []],
  ["?sslmode=verify-full&sslcert=/a&sslkey=/b&sslrootcert=/c&sslnegotiation=direct", []],
  ["?ssl=true", []],
  ["?ssl=0", []],
  ["?ssl=require", [`ssl in DATABASE_URL is "require", but must be true, false, 1 or 0`]],
  ["?sslmode=verify_full", [`sslmode in DATABASE_URL is "verify_full", ${MODES}`]],
  ["?sslmode=", [`sslmode in DATABASE_URL is "", ${MODES}`]],
  ["?sslmode=require&sslmode=Require", [`sslmode in DATABASE_URL is "Require", ${MODES}`]],
  ["?sslMode=verify-full", [`DATABASE_URL has "sslMode", ${NAMES}`]],
  ["?sslmod=verify-full", [`DATABASE_URL has "sslmod", ${NAMES}`]],
  ["?requiressl=1", [`DATABASE_URL has "requiressl", ${NAMES}`]],
  ["?tls=on", [`DATABASE_URL has "tls", ${NAMES}`]],
  ["?sslrootcert=", ["sslrootcert in DATABASE_URL is empty, but must be a path"]],
  ["?sslnegotiation=x", [`sslnegotiation in DATABASE_URL is "x", but must be direct or postgres`]],
  [
    "?sslmode=verify-ca",
    ["sslmode=verify-ca in DATABASE_URL needs sslrootcert, the file with the authority's certificate"],
  ],
];
for (const [query, problems] of parameters) {
  test(`DATABASE_URL with ${query || "no parameters"} ${problems.length === 0 ? "is taken" : "is refused"}`, () => {
    const url = `postgres://gateway:hush@db.example/payments${query}`;
    const read = readSettings({ DATABASE_URL: url, FAREGATE_MODE: "sandbox" });
    assert.deepEqual(read.ok ? [] : read.problems, problems);
  });
}
