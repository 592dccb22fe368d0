// Messages on a stream of bytes: each after its length, in 2 or 4 bytes, binary (most significant byte first) or ASCII
// digits. The length does not count itself.

import type { Dialect } from "./dialect.ts";
import { CodecFault } from "./fault.ts";
import type { Message } from "./message.ts";
import { encodeMessage, LONGEST_MESSAGE } from "./message-codec.ts";

export interface Framing {
  readonly bytes: 2 | 4;
  readonly encoding: "binary" | "ascii";
}

export function frame(message: Buffer, { bytes, encoding }: Framing): Buffer {
  const longest = Math.min(LONGEST_MESSAGE, encoding === "ascii" ? 10 ** bytes - 1 : LONGEST_MESSAGE);
  if (message.length === 0 || message.length > longest)
    throw new CodecFault(`a frame of this length prefix holds 1 to ${longest} bytes, not ${message.length}`);
  const framed = Buffer.allocUnsafe(bytes + message.length);
  if (encoding === "binary") framed.writeUIntBE(message.length, 0, bytes);
  else framed.write(String(message.length).padStart(bytes, "0"), 0, "latin1");
  message.copy(framed, bytes);
  return framed;
}

export interface Read {
  readonly frames: readonly Buffer[];
  /** The stream can no longer be cut into frames; nothing after this is worth reading. */
  readonly fault: CodecFault | null;
}

/** Cuts a stream into frames, however its bytes arrive. Holds one unfinished frame at most. */
export class FrameReader {
  readonly #framing: Framing;
  #rest: Buffer = Buffer.alloc(0);

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  /** Whether a frame has begun and not ended. */
  get unfinished(): boolean {
    return this.#rest.length > 0;
  }

  push(chunk: Buffer): Read {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= this.#framing.bytes) {
      const length = this.#lengthAt(bytes, at);
      if (length === undefined)
        return { frames, fault: new CodecFault("a frame's length is none, or longer than any message") };
      const end = at + this.#framing.bytes + length;
      if (end > bytes.length) break;
      frames.push(bytes.subarray(at + this.#framing.bytes, end));
      at = end;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return { frames, fault: null };
  }

  #lengthAt(bytes: Buffer, at: number): number | undefined {
    const { bytes: count, encoding } = this.#framing;
    const text = encoding === "ascii" ? bytes.toString("latin1", at, at + count) : undefined;
    if (text !== undefined && !/^[0-9]+$/.test(text)) return undefined;
    const length = text === undefined ? bytes.readUIntBE(at, count) : Number(text);
    return length >= 1 && length <= LONGEST_MESSAGE ? length : undefined;
  }
}

/** A message as it goes to a host: encoded and framed. */
export const encodeFrame = (message: Message, how: { readonly dialect: Dialect; readonly framing: Framing }): Buffer =>
  frame(encodeMessage(message, how.dialect), how.framing);
