// Which worker of a gateway a connection leads to, as Linux knows it, and requests over such a connection: the system chooses
// the worker when it is opened.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { childrenOf, commandLine } from "../../bench/processes.ts";
import type { Answer } from "./gateway.ts";
import type { Json } from "./merchant.fixture.ts";
import { untilRoom } from "./room.ts";

/** By their process numbers, in the order in which they were started. */
export const workersOf = (primary: number): readonly number[] =>
  childrenOf(primary).filter((child) => commandLine(child).some((word) => word.includes("workers/process")));

export interface Line {
  readonly worker: number;
  call(method: string, path: string, token: string, json?: Json, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

const MOST_TRIES = 200;

/** A connection to each of these workers. */
export async function linesTo(url: string, workers: readonly number[]): Promise<Line[]> {
  const found = new Map<number, Line>();
  for (let tries = 0; found.size < workers.length; tries++) {
    assert.ok(tries < MOST_TRIES, "connections lead to all workers");
    const line = await openLine(url, workers);
    if (found.has(line.worker)) line.close();
    else found.set(line.worker, line);
  }
  return workers.flatMap((worker) => found.get(worker) ?? []);
}

async function openLine(url: string, workers: readonly number[]): Promise<Line> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { socket } = await send(agent, url, "GET", "/health/live", undefined);
  const { port } = new URL(url);
  return {
    worker: ownerOf(Number(port), socket.localPort ?? 0, workers),
    call: (method, path, token, json, headers) =>
      untilRoom(
        async () =>
          (await send(agent, url, method, path, json, { authorization: `Bearer ${token}`, ...headers })).answer,
      ),
    close: () => agent.destroy(),
  };
}

function send(
  agent: Agent,
  url: string,
  method: string,
  path: string,
  json: Json | undefined,
  headers: Record<string, string> = {},
): Promise<{ readonly answer: Answer; readonly socket: Socket }> {
  return new Promise((resolve, reject) => {
    const type = json === undefined ? {} : { "content-type": "application/json" };
    const sent = request(url + path, { agent, method, headers: { ...type, ...headers } }, (response) => {
      const { socket } = response;
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => {
        const body = text.startsWith("{") ? JSON.parse(text) : undefined;
        const received = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ socket, answer: { status: response.statusCode ?? 0, headers: received, text, body } });
      });
    });
    sent.on("error", reject).end(json === undefined ? undefined : JSON.stringify(json));
  });
}

/** proc(5): /proc/net/tcp has addresses and ports in hexadecimal and, as the tenth word, the inode of the socket. */
function ownerOf(serverPort: number, clientPort: number, workers: readonly number[]): number {
  const portOf = (address = "") => Number.parseInt(address.split(":")[1] ?? "", 16);
  const entry = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find((words) => portOf(words[1]) === serverPort && portOf(words[2]) === clientPort);
  const owner = workers.find((pid) => holds(pid, `socket:[${entry?.[9]}]`));
  assert.ok(owner, "the connection belongs to a worker");
  return owner;
}

const holds = (pid: number, file: string): boolean =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === file;
    } catch {
      return false; // closed meanwhile
    }
  });
