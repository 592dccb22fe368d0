// A name server on loopback, for tests: answers over UDP and TCP as it is told, also wrongly, late or never (RFC 1035).

import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";

export type Record = readonly ["A" | "AAAA" | "CNAME", string];

export interface Told {
  /** Of the name that was asked; a CNAME's own target follows with the records after it. */
  readonly records?: readonly Record[];
  readonly ttl?: number;
  /** RFC 1035, section 4.1.1: 2 is a failure of the server, 3 no such name, 5 refused. */
  readonly code?: number;
  /** Over UDP only: come over TCP. */
  readonly truncated?: boolean;
  readonly afterMs?: number;
}

export interface NameServer {
  /** For `setServers`. */
  readonly address: string;
  /** `A shop.test`, over UDP and TCP. */
  readonly asked: string[];
  close(): Promise<void>;
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** @param tell undefined for silence */
export async function startNameServer(
  tell: (type: "A" | "AAAA", name: string, over: "udp" | "tcp") => Told | undefined,
): Promise<NameServer> {
  const asked: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const answer = (query: Buffer, over: "udp" | "tcp", send: (message: Buffer) => void) => {
    const { name, type, end } = questionOf(query);
    asked.push(`${type} ${name}`);
    const told = tell(type, name, over);
    if (told === undefined) return;
    const timer = setTimeout(() => send(messageOf(query, end, name, told, over)), told.afterMs ?? 0);
    timers.add(timer);
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) =>
      answer(data.subarray(2), "tcp", (message) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(message.length);
        socket.write(Buffer.concat([length, message]));
      }),
    );
  });
  await new Promise<void>((done) => tcp.listen(0, "127.0.0.1", done));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4", (query, { port: from, address }) =>
    answer(query, "udp", (message) => udp.send(message, from, address)),
  );
  await new Promise<void>((done) => udp.bind(port, "127.0.0.1", done));
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([
        new Promise<void>((done) => udp.close(done)),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
    },
  };
}

function questionOf(query: Buffer): { name: string; type: "A" | "AAAA"; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1) === TYPES.A ? "A" : "AAAA", end: at + 5 };
}

function messageOf(query: Buffer, end: number, name: string, told: Told, over: "udp" | "tcp"): Buffer {
  const cut = told.truncated === true && over === "udp";
  const records = cut ? [] : (told.records ?? []);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (cut ? 0x0200 : 0) | (told.code ?? 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  let owner = name;
  const answers = records.map(([type, value]) => {
    const written = recordOf(owner, TYPES[type], told.ttl ?? 60, type === "CNAME" ? nameOf(value) : bytesOf(value));
    if (type === "CNAME") owner = value;
    return written;
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

function recordOf(owner: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameOf(owner), fixed, data]);
}

const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from(String.fromCharCode(label.length) + label)),
    Buffer.of(0),
  ]);

/** IPv6 written out in full, eight groups. */
const bytesOf = (address: string): Buffer =>
  address.includes(".")
    ? Buffer.from(address.split(".").map(Number))
    : Buffer.from(
        address
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      );
