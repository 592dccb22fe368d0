// A host for tests of the link: it signs on and echoes unless told not to, and does with everything else what the test
// says. It keeps no books; the acquirer host of the project is another thing.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { FrameReader } from "../codec/frames.ts";
import { Message } from "../codec/message.ts";
import { decodeMessage } from "../codec/message-codec.ts";
import { answerTypeOf } from "../codec/message-types.ts";
import { transmissionTime } from "../messages/envelope.ts";
import type { Peer } from "./connection.ts";
import { encodeFrame } from "./encode-frame.ts";

export const HOW = {
  framing: { bytes: 2, encoding: "binary" },
  wire: { digits: "bcd", bitmap: "binary" },
} as const;

export interface Caller {
  send(message: Message): void;
  sendBytes(bytes: Buffer): void;
  hangUp(): void;
}

export interface Script {
  readonly asked?: (question: Message, caller: Caller) => void;
  /** Response code of sign-ons; null: they are not answered. */
  readonly signOn?: string | null;
  readonly echoes?: boolean;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface ScriptedHost {
  readonly peer: Peer;
  /** Of every message that came, in order. */
  readonly heard: readonly Message[];
  readonly callers: ReadonlySet<Caller>;
  stop(): Promise<void>;
}

export async function scriptedHost(script: Script = {}): Promise<ScriptedHost> {
  const heard: Message[] = [];
  const callers = new Set<Caller>();
  const sockets = new Set<Socket>();
  const meet = (socket: Socket) => {
    const reader = new FrameReader(HOW.framing);
    const caller: Caller = {
      send: (message) => socket.write(encodeFrame(message, HOW)),
      sendBytes: (bytes) => socket.write(bytes),
      hangUp: () => socket.destroy(),
    };
    callers.add(caller);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      callers.delete(caller);
      sockets.delete(socket);
    });
    socket.on("data", (chunk) => {
      for (const frame of reader.push(chunk).frames) {
        const question = decodeMessage(frame, HOW.wire);
        heard.push(question);
        hear(script, question, caller);
      }
    });
  };
  const server = script.tls ? createTlsServer(script.tls, meet) : createServer(meet);
  server.on("tlsClientError", () => {});
  server.listen(script.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    peer: { host: "127.0.0.1", port, tls: null, ...HOW, echoIntervalMs: 60_000 },
    heard,
    callers,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function hear(script: Script, question: Message, caller: Caller): void {
  const { signOn = "00", echoes = true } = script;
  if (question.mti === "0810") return;
  if (question.mti !== "0800") script.asked?.(question, caller);
  else if (question.get(70) === "301") {
    if (echoes) caller.send(question.with({ 39: "00" }, "0810"));
  } else if (signOn !== null) caller.send(question.with({ 39: signOn }, "0810"));
}

/** The whole answer to a question. */
export const answerTo = (question: Message, code = "00"): Message =>
  question.with(
    { 14: undefined, 22: undefined, 25: undefined, 48: undefined, 90: undefined, 38: "ABC123", 39: code },
    answerTypeOf(question.mti),
  );

let stan = 0;

/** A question of its own STAN and RRN. */
export function someQuestion(mti = "0200", minor = 1000): Message {
  const number = String(++stan);
  const at = transmissionTime(new Date());
  return new Message(mti, {
    3: "000000",
    4: String(minor).padStart(12, "0"),
    7: at,
    11: number.padStart(6, "0"),
    12: at.slice(4),
    13: at.slice(0, 4),
    22: "810",
    25: "59",
    32: "123456",
    37: number.padStart(12, "R"),
    41: "TERM01  ",
    42: "MERCHANT1      ",
    49: "840",
  });
}
