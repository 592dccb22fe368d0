// Frames by the million, random and mutated, as a hostile or broken host could send them, while questions wait: each is
// read as the gateway reads what arrives. None may crash the reader, or be taken for an approval that it is not.

import fc from "fast-check";
import { readAnswer } from "../../src/processors/iso8583/answers/read-answer.ts";
import type { Dialect } from "../../src/processors/iso8583/codec/dialect.ts";
import { CodecFault } from "../../src/processors/iso8583/codec/fault.ts";
import { FrameReader, type Framing, frame } from "../../src/processors/iso8583/codec/frames.ts";
import type { Message } from "../../src/processors/iso8583/codec/message.ts";
import { decodeMessage, encodeMessage } from "../../src/processors/iso8583/codec/message-codec.ts";
import { STANDARD } from "../../src/processors/iso8583/dialect/standard.ts";
import { Pending } from "../../src/processors/iso8583/link/pending.ts";
import { anyMessage, DIALECTS } from "../fixtures/generated-message.ts";
import { answerTo, someQuestion } from "../fixtures/scripted-host.ts";
import { type Chance, chanceFrom } from "../simulation/chance.ts";

export interface Tally {
  /** As they were sent, before a changed length made more or fewer of them. */
  sent: number;
  /** Whose bytes were a message. */
  decoded: number;
  /** Approvals of waiting questions whose identifying fields were as they should be. */
  approved: number;
}

/** What tells one operation from another: an approval that differs in one of them is somebody else's, or nobody's. */
const IDENTIFYING: readonly number[] = [3, 4, 11, 32, 37, 41, 42, 49];
const WAITING = 50;
const TEMPLATES = 2_000;
const FRAMING: Framing = { bytes: 2, encoding: "binary" };
const CHARGE = { brand: "visa", threeDSecure: null } as const;

/**
 * @param step called now and then, with what was done so far
 * @throws at the first frame that is taken for what it is not
 */
export function runFrames(frames: number, seed: number, step: (tally: Tally) => void = () => undefined): Tally {
  const chance = chanceFrom(seed);
  const tally: Tally = { sent: 0, decoded: 0, approved: 0 };
  for (const dialect of DIALECTS) runIn(dialect, Math.ceil(frames / DIALECTS.length), seed, chance, tally, step);
  return tally;
}

function runIn(
  dialect: Dialect,
  frames: number,
  seed: number,
  chance: Chance,
  tally: Tally,
  step: (tally: Tally) => void,
): void {
  const questions = Array.from({ length: WAITING }, (_, nth) => someQuestion(nth % 2 ? "0100" : "0200", 1000 + nth));
  const templates = templatesOf(questions, dialect, seed);
  for (let nth = 0; nth < frames; nth++) {
    const bytes = drawn(chance, templates);
    tally.sent++;
    for (const message of read(bytes, dialect, tally)) take(message, questions, tally);
    if (tally.sent % 100_000 === 0) step(tally);
  }
}

/** Approvals and declines of these questions and of others, the questions themselves, and messages of any kind. */
function templatesOf(questions: readonly Message[], dialect: Dialect, seed: number): readonly [Buffer, ...Buffer[]] {
  const others = Array.from({ length: WAITING }, () => someQuestion());
  const messages = [
    ...questions.flatMap((question) => [question, answerTo(question), answerTo(question, "05")]),
    ...others.map((question) => answerTo(question)),
    ...fc.sample(anyMessage, { numRuns: TEMPLATES, seed }),
  ];
  const [first, ...rest] = messages.map((message) => encodeMessage(message, dialect));
  if (first === undefined) throw new Error("no templates");
  return [first, ...rest];
}

/** One time in four bytes at random; else a message with up to four changes. */
function drawn(chance: Chance, templates: readonly [Buffer, ...Buffer[]]): Buffer {
  if (chance.happens(0.25)) return Buffer.from(Array.from({ length: 1 + chance.below(120) }, () => chance.below(256)));
  let bytes: Buffer = Buffer.from(chance.pick(templates));
  for (let changes = chance.below(5); changes > 0; changes--) bytes = changed(chance, bytes, templates);
  return bytes;
}

function changed(chance: Chance, bytes: Buffer, templates: readonly [Buffer, ...Buffer[]]): Buffer {
  const at = chance.below(bytes.length);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (chance.below(6)) {
    case 0:
      return Buffer.concat([head, Buffer.of(chance.below(256)), tail.subarray(1)]);
    case 1:
      return Buffer.concat([head, Buffer.of(tail.readUInt8() ^ (1 << chance.below(8))), tail.subarray(1)]);
    case 2:
      return at > 0 ? head : bytes;
    case 3:
      return Buffer.concat([head, Buffer.of(chance.below(256)), tail]);
    case 4:
      return Buffer.concat([head, chance.pick(templates).subarray(at)]);
    default:
      return Buffer.concat([bytes, tail]).subarray(0, 4096);
  }
}

/** By the reader of frames, and by the codec. */
function* read(bytes: Buffer, dialect: Dialect, tally: Tally): Generator<Message> {
  if (bytes.length === 0) return;
  for (const one of new FrameReader(FRAMING).push(frame(bytes, FRAMING)).frames) {
    try {
      yield decodeMessage(one, dialect);
      tally.decoded++;
    } catch (fault) {
      if (!(fault instanceof CodecFault)) throw fault;
    }
  }
}

/** As the link does it: whoever's answer it is, is told. */
function take(message: Message, questions: readonly Message[], tally: Tally): void {
  const pending = new Pending(STANDARD);
  for (const question of questions)
    pending.add(question, {}, (reply) => {
      if (reply.kind !== "answered" || readAnswer(reply.message, "sale", CHARGE, "brand").kind !== "approved") return;
      const wrong = IDENTIFYING.filter((field) => message.has(field) && message.get(field) !== question.get(field));
      if (wrong.length > 0) throw new Error(`an approval with another field ${wrong.join(", ")} was taken`);
      const code = message.get(39) ?? "none";
      if (!APPROVALS.has(code)) throw new Error(`code ${code} was taken for an approval`);
      if (!/^ *[0-9A-Z]{1,6} *$/.test(message.get(38) ?? ""))
        throw new Error("an approval without an auth code was taken");
      tally.approved++;
    });
  pending.answer(message);
}

/** ISO 8583:1987, field 39, by hand: not from the table that is tested. */
const APPROVALS = new Set(["00", "08", "11", "16"]);
