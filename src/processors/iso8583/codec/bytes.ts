// Reading bytes from front to back and writing them likewise. Neither reads nor writes past its end.

import { CodecFault } from "./fault.ts";

export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  take(count: number): Buffer {
    return this.#bytes.subarray(this.#advance(count), this.#position);
  }

  /** One character a byte. */
  takeText(count: number): string {
    const from = this.#advance(count);
    return this.#bytes.toString("latin1", from, this.#position);
  }

  takeHex(count: number): string {
    const from = this.#advance(count);
    return this.#bytes.toString("hex", from, this.#position);
  }

  #advance(count: number): number {
    const from = this.#position;
    if (count > this.left) throw new CodecFault(`the message ends early, at byte ${this.#bytes.length}`);
    this.#position += count;
    return from;
  }
}

/** Of bounded size: what does not fit is a fault. */
export class ByteWriter {
  readonly #bytes: Buffer;
  #length = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  /** One byte a character. */
  text(text: string): void {
    this.#length += this.#bytes.write(text, this.#reserve(text.length), "latin1");
  }

  hex(hex: string): void {
    this.#length += this.#bytes.write(hex, this.#reserve(hex.length / 2), "hex");
  }

  /** A copy, without what else the buffer holds. */
  written(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #reserve(count: number): number {
    if (this.#length + count > this.#bytes.length)
      throw new CodecFault(`the message is longer than ${this.#bytes.length} bytes`);
    return this.#length;
  }
}
