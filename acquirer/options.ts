// The host's command line. Every wrong value is named.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { writtenAs } from "../src/processors/iso8583/codec/dialect.ts";
import type { Framing } from "../src/processors/iso8583/codec/frames.ts";
import { STANDARD } from "../src/processors/iso8583/dialect/standard.ts";
import type { HostOptions } from "./host.ts";
import { parseRule, type Rule } from "./misbehaviour.ts";

export const USAGE = `npm run acquirer -- [options]
  --port 8583            where gateways connect; 0 takes a free one
  --address 127.0.0.1    on which address
  --control-port 8584    HTTP on loopback: misbehave, settle, balance, books
  --folder acquirer-books
  --framing binary-2     binary-2, binary-4 or ascii-4
  --digits ascii         ascii or bcd
  --bitmap binary        hex or binary
  --tls-cert file --tls-key file
  --late-ms 2500         how late the card of late answers is
  --settle-at 02:00      UTC
  --misbehave rule       JSON, several times if need be: {"what": "drop-after", "on": ["sale"], "chance": 0.1}
`;

const FRAMINGS: Readonly<Record<string, Framing>> = {
  "binary-2": { bytes: 2, encoding: "binary" },
  "binary-4": { bytes: 4, encoding: "binary" },
  "ascii-4": { bytes: 4, encoding: "ascii" },
};

export interface Options {
  readonly host: Omit<HostOptions, "log" | "crash">;
  readonly controlPort: number;
  readonly rules: readonly Rule[];
}

/** Throws a TypeError that says what is wrong. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "8583" },
      address: { type: "string", default: "127.0.0.1" },
      "control-port": { type: "string", default: "8584" },
      folder: { type: "string", default: "acquirer-books" },
      framing: { type: "string", default: "binary-2" },
      digits: { type: "string", default: "ascii" },
      bitmap: { type: "string", default: "binary" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "late-ms": { type: "string", default: "2500" },
      "settle-at": { type: "string", default: "02:00" },
      misbehave: { type: "string", multiple: true, default: [] },
    },
  });
  const [cert, key] = [values["tls-cert"], values["tls-key"]];
  if ((cert === undefined) !== (key === undefined)) throw new TypeError("--tls-cert and --tls-key go together.");
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(values["settle-at"]))
    throw new TypeError("--settle-at is a time of day, HH:MM.");
  return {
    host: {
      folder: values.folder,
      address: values.address,
      port: wholeNumber("port", values.port, 65_535),
      framing: FRAMINGS[oneOf("framing", values.framing, ["binary-2", "binary-4", "ascii-4"])] as Framing,
      dialect: writtenAs(STANDARD, {
        digits: oneOf("digits", values.digits, ["ascii", "bcd"]),
        bitmap: oneOf("bitmap", values.bitmap, ["hex", "binary"]),
      }),
      tls:
        cert !== undefined && key !== undefined
          ? { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") }
          : null,
      lateMs: wholeNumber("late-ms", values["late-ms"], 600_000),
      settleAt: values["settle-at"],
    },
    controlPort: wholeNumber("control-port", values["control-port"], 65_535),
    rules: values.misbehave.map((text) => parseRule(JSON.parse(text))),
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (!/^\d{1,6}$/.test(text) || number > most) throw new TypeError(`--${name} is a whole number from 0 to ${most}.`);
  return number;
}

function oneOf<const T extends string>(name: string, text: string, words: readonly T[]): T {
  const word = words.find((each) => each === text);
  if (word === undefined) throw new TypeError(`--${name} is one of ${words.join(", ")}.`);
  return word;
}
