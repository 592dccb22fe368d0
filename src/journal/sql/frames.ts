// Splits what the server sends into messages (PostgreSQL, section 54.7): a byte for the type, four for the length.

const HEADER = 5;
/** A row has at most 1 GB; nothing that is stored comes near this. */
const LONGEST = 256 * 1024 * 1024;

/** @throws if what it is told of is not what was sent */
export type Receive = (type: number, bytes: Buffer, start: number, end: number) => void;

/** @returns what takes the next bytes. @throws for a length that cannot be */
export function frames(receive: Receive): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  /** Bytes without which there is nothing new to be read. */
  let needed = HEADER;
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    let start = 0;
    needed = HEADER;
    while (bytes.length - start >= HEADER) {
      const length = bytes.readInt32BE(start + 1);
      if (length < 4 || length > LONGEST) throw new Error(`a message of ${length} bytes`);
      const end = start + 1 + length;
      if (end > bytes.length) {
        needed = end - start;
        break;
      }
      receive(bytes[start] as number, bytes, start + HEADER, end);
      start = end;
    }
    held = bytes.length - start;
    parts = held === 0 ? [] : [bytes.subarray(start)];
  };
}
