// Sends generated inputs to a running gateway, many at once, and says of each whether what came back is harmless: in time,
// no fault of the gateway's, in the one shape of errors, with no card number and nothing of the inside.

import { Agent, request } from "node:http";
import { connect } from "node:net";
import { assertErrorShape, assertNothingGivenAway, type Received } from "../journeys/harmless.fixture.ts";
import { type Input, inputOf } from "./input.ts";
import type { Seed } from "./seeds.ts";

export interface Fuzzing {
  readonly url: string;
  readonly seeds: readonly [Seed, ...Seed[]];
  readonly seed: number;
  /** The number of the first input, and how many follow. */
  readonly first: number;
  readonly inputs: number;
  /** Each input is answered, or its connection closed, within it. */
  readonly boundMs: number;
  readonly atOnce: number;
}

export interface Found {
  /** With the seed, the input that did it. */
  readonly nth: number;
  readonly why: string;
}

export interface Fuzzed {
  readonly found: readonly Found[];
  /** How many were answered with which status; `closed`: bytes that are no request, and got no answer. */
  readonly tally: ReadonlyMap<string, number>;
}

const MOST_FOUND = 20;

export async function fuzz(fuzzing: Fuzzing): Promise<Fuzzed> {
  const { url, seeds, seed, first, inputs, atOnce } = fuzzing;
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const [found, tally]: [Found[], Map<string, number>] = [[], new Map()];
  let next = first;
  const one = async () => {
    while (next < first + inputs && found.length < MOST_FOUND) {
      const nth = next++;
      const input = inputOf(seeds, seed, nth);
      try {
        const answers = input.raw
          ? await sendRaw(url, input.raw, fuzzing.boundMs)
          : [await send(url, input, agent, fuzzing.boundMs)];
        for (const { status } of answers) tally.set(String(status), (tally.get(String(status)) ?? 0) + 1);
        if (answers.length === 0) tally.set("closed", (tally.get("closed") ?? 0) + 1);
        for (const answer of answers) judge(input, answer);
      } catch (fault) {
        found.push({ nth, why: fault instanceof Error ? fault.message.slice(0, 1_000) : String(fault) });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  agent.destroy();
  return { found, tally };
}

/** @throws for an answer that does harm */
export function judge({ method }: Pick<Input, "method">, received: Received): void {
  const { status, text } = received;
  if (status >= 500) throw new Error(`${status}: ${text}`);
  if (status >= 400 && method !== "HEAD" && text !== "") assertErrorShape(received);
  assertNothingGivenAway(received);
}

function send(url: string, { method, target, headers, body }: Input, agent: Agent, boundMs: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const lengths = body || method === "POST" ? { "content-length": body?.length ?? 0 } : {};
    const sent = request(
      { hostname, port, method, path: target, agent, headers: { ...grouped(headers), ...lengths } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        answer.on("end", () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode ?? 0, headers: answer.rawHeaders.join("\n"), text });
        });
        answer.on("error", reject);
      },
    );
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${boundMs} ms`)), boundMs);
    sent.on("error", (fault) => {
      clearTimeout(timer);
      reject(fault);
    });
    sent.end(body);
  });
}

/** The last of several counts, as where a client sets a header anew. */
const grouped = (headers: Input["headers"]): Record<string, string> => Object.fromEntries(headers);

/** The client says that nothing more follows, so the other side has all that it will ever get. */
function sendRaw(url: string, bytes: Buffer, boundMs: number): Promise<Received[]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = "";
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was not closed within ${boundMs} ms`));
    }, boundMs);
    socket.setEncoding("utf8").on("data", (part: string) => {
      received += part;
    });
    // A reset is an end, too: what was sent after it was refused need not be read.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answersIn(received));
    });
    socket.end(bytes);
    socket.on("end", () => socket.destroy());
  });
}

function answersIn(received: string): Received[] {
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((one) => one.startsWith("HTTP/1.1 "))
    .map((one) => {
      const [headers = "", text = ""] = one.split("\r\n\r\n");
      return { status: Number(one.slice(9, 12)), headers, text };
    });
}
