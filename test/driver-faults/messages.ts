// Messages of PostgreSQL's protocol as the proxy passes them on, and those that it makes up (PostgreSQL, section 54.7).

/** Whole messages of one direction. The first of a client has no type. */
export function messagesOf(untyped: boolean, each: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = untyped ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      typeBytes = 1;
      each(message);
    }
  };
}

function message(type: string, ...body: (string | number)[]): Buffer {
  const bytes = Buffer.concat(body.map((part) => (typeof part === "number" ? int16(part) : Buffer.from(`${part}\0`))));
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** Its body without the last so many bytes, and a length that is true. */
export function shortened(whole: Buffer, bytes: number): Buffer {
  const kept = Buffer.from(whole.subarray(0, Math.max(5, whole.length - bytes)));
  kept.writeInt32BE(kept.length - 1, 1);
  return kept;
}

const failure = (severity: string, code: string) =>
  message("E", `S${severity}`, `V${severity}`, `C${code}`, "Mput in by the proxy", "");

export const MADE_UP = {
  error: failure("ERROR", "XX000"),
  fatal: failure("FATAL", "57P01"),
  "statement timeout": failure("ERROR", "57014"),
  notice: message("N", "SNOTICE", "VNOTICE", "C00000", "Mput in by the proxy", ""),
  ready: Buffer.concat([Buffer.from([0x5a, 0, 0, 0, 5]), Buffer.from("I")]),
  "end of a statement": message("C", "SELECT 1"),
  sync: Buffer.from([0x53, 0, 0, 0, 4]),
  terminate: Buffer.from([0x58, 0, 0, 0, 4]),
  garbage: Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
} as const;
