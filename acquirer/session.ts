// One gateway's connection to the host: sign-on first, then questions, each answered once it is booked, whatever the
// others are doing. Misbehaviour happens here, between the books and the wire.

import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answerTypeOf, carried, type Dialect } from "../src/processors/iso8583/codec/dialect.ts";
import { CodecFault } from "../src/processors/iso8583/codec/fault.ts";
import { FrameReader, type Framing, frame } from "../src/processors/iso8583/codec/frames.ts";
import type { Message } from "../src/processors/iso8583/codec/message.ts";
import { decodeMessage, encodeMessage } from "../src/processors/iso8583/codec/message-codec.ts";
import { renderTagged } from "../src/processors/iso8583/codec/tagged.ts";
import type { Books, Told } from "./books.ts";
import { conductOf } from "./cards.ts";
import type { Misbehaviour, Misconduct, Rule } from "./misbehaviour.ts";
import { type Question, readQuestion } from "./question.ts";

export interface SessionParts {
  readonly books: Books;
  readonly misbehaviour: Misbehaviour;
  readonly framing: Framing;
  readonly dialect: Dialect;
  /** How late the card of late answers is. */
  readonly lateMs: number;
  readonly now: () => Date;
  readonly log: (line: string) => void;
  /** Ends the process as a kill would. */
  readonly crash: () => void;
}

/** More unsent than this: the gateway does not read, and is disconnected. */
const MOST_UNSENT_BYTES = 4_194_304;

export function serve(socket: Socket, parts: SessionParts): void {
  const reader = new FrameReader(parts.framing);
  let signedOn = false;
  const send = (message: Message) => write(socket, frame(encodeMessage(message, parts.dialect), parts.framing));
  const receive = (message: Message) => {
    if (message.mti === "0800") {
      signedOn = message.get(70) === "001" || (signedOn && message.get(70) !== "002");
      send(message.with({ 39: signedOn || message.get(70) === "002" ? "00" : "58" }, "0810"));
    } else if (!signedOn) parts.log(`${message} before a sign-on: not looked at`);
    else void answer(socket, message, parts);
  };
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const { frames, fault } = reader.push(chunk);
    for (const one of frames) {
      const message = decoded(one, parts);
      if (message !== undefined) receive(message);
    }
    if (fault !== null) {
      parts.log(`a connection is cut: ${fault.message}`);
      socket.destroy();
    }
  });
}

function decoded(bytes: Buffer, { dialect, log }: SessionParts): Message | undefined {
  try {
    return decodeMessage(bytes, dialect);
  } catch (fault) {
    if (!(fault instanceof CodecFault)) throw fault;
    log(`no message: ${fault.message}`);
    return undefined;
  }
}

async function answer(socket: Socket, message: Message, parts: SessionParts): Promise<void> {
  const question = readQuestion(message, parts.dialect);
  if (question === undefined)
    return parts.log(`${message} cannot be answered: it lacks a field, or asks for nothing known`);
  const { operation, terminal, rrn } = question;
  const rules = parts.misbehaviour.at(operation, [operation, terminal, rrn].join(" "));
  const does = (what: Misconduct) => rules.some((rule) => rule.what === what);
  if (does("crash-before")) parts.crash();
  if (does("disconnect-before")) return void socket.destroy();
  if (does("drop-before")) return;
  const declined = rules.find(({ what }) => what === "decline-repeats");
  const told = declined ? declinedWith(declined.code) : await parts.books.ask(question, parts.now());
  if (does("crash-after")) parts.crash();
  if (does("disconnect-after")) return void socket.destroy();
  if (does("drop-after") || timingOf(question) === "never") return;
  await pause(delayMs(question, rules, parts.lateMs));
  const bytes = frame(
    encodeMessage(carried(parts.dialect, answerTo(message, told, parts.dialect)), parts.dialect),
    parts.framing,
  );
  if (does("garbage")) return write(socket, frame(Buffer.from("this is no message"), parts.framing));
  if (does("half")) {
    socket.end(bytes.subarray(0, bytes.length / 2));
    return;
  }
  write(socket, bytes);
  if (does("duplicate")) write(socket, bytes);
}

const declinedWith = (code = "96"): Told => ({ code, authCode: "", id: "", results: "" });

const timingOf = ({ card }: Question) => (card === null ? undefined : conductOf(card.number).timing);

const delayMs = (question: Question, rules: readonly Rule[], lateMs: number): number =>
  rules.reduce(
    (total, rule) => total + (rule.what === "delay" ? (rule.ms ?? 0) : 0),
    timingOf(question) === "late" ? lateMs : 0,
  );

/** What came back is what was asked, with the outcome. */
const answerTo = (
  question: Message,
  { code, authCode, id, results, networkId }: Told,
  { privateData }: Dialect,
): Message =>
  question.with(
    {
      ...{ 2: undefined, 14: undefined, 22: undefined, 25: undefined, 43: undefined },
      ...{ [privateData]: undefined, 90: undefined, 102: undefined },
      48: networkId === undefined ? undefined : renderTagged([["NT", networkId]]),
      38: authCode || undefined,
      39: code,
      44: results || undefined,
      63: id || undefined,
    },
    answerTypeOf(question.mti),
  );

function write(socket: Socket, bytes: Buffer): void {
  if (socket.writableLength > MOST_UNSENT_BYTES) socket.destroy();
  else if (socket.writable) socket.write(bytes);
}
