// The headers of one part of a multipart/form-data body: the name of its field, how its value is encoded, and whether it is JSON.
// What the part is for is not known here.

import { MIMEType } from "node:util";
import { baseFault, type RequestFault } from "../request-fault.ts";
import { LONGEST_TYPE } from "./media-type.ts";

export interface BodyPart {
  readonly name: string;
  readonly charset: "utf-8" | "latin1";
  /** By its Content-Type, which is what OpenAPI says of objects, and of lists of them. */
  readonly isJson: boolean;
}

const PLAIN: Readonly<Record<string, BodyPart["charset"]>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  // Apache's HttpClient says so of every text unless told otherwise.
  "iso-8859-1": "latin1",
};

/** @param headers the lines above the empty one */
export function partOf(headers: string): BodyPart {
  // What nearly every client sends.
  const plain = /^content-disposition: form-data; name="([^"\r\n]*)"$/i.exec(headers)?.[1];
  if (plain !== undefined) return { name: unescaped(plain), charset: "utf-8", isJson: false };
  const lines = linesOf(headers);
  const encoding = lines.get("content-transfer-encoding")?.toLowerCase() ?? "8bit";
  if (encoding !== "8bit" && encoding !== "7bit" && encoding !== "binary") {
    throw brokenMultipart("a part has a Content-Transfer-Encoding; send its bytes as they are");
  }
  const type = lines.get("content-type") ?? "";
  const isJson = /^application\/json[ \t]*(?:;|$)/i.test(type);
  const name = nameIn(lines.get("content-disposition") ?? "", isJson);
  const charset = charsetOf(type);
  if (isJson && charset !== "utf-8") throw baseFault(415, UTF_8);
  return { name, charset, isJson };
}

function linesOf(headers: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const line of headers.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[!-9;-~]+$/.test(name) || /[\r\n]/.test(line)) throw brokenMultipart("a part has a malformed header");
    if (lines.has(name)) throw brokenMultipart("a part has a header twice");
    lines.set(name, line.slice(colon + 1).trim());
  }
  return lines;
}

/** @param mayBeFile browsers write a file name where a program gives a part a type of its own, as a Blob */
function nameIn(disposition: string, mayBeFile: boolean): string {
  const wrong = () => brokenMultipart('a part lacks Content-Disposition: form-data; name="…", or its form is another');
  const kind = /^form-data[ \t]*/i.exec(disposition)?.[0];
  if (kind === undefined) throw wrong();
  // .NET leaves out the quotes.
  const parameter = /;[ \t]*([^\s=;"]+)=(?:"([^"]*)"|([^\s;"]+))[ \t]*/y;
  parameter.lastIndex = kind.length;
  let name: string | undefined;
  while (parameter.lastIndex < disposition.length) {
    const found = parameter.exec(disposition);
    if (found === null) throw wrong();
    const key = found[1]?.toLowerCase();
    if (!mayBeFile && (key === "filename" || key === "filename*"))
      throw brokenMultipart("it has a file; send every field as text, or as application/json");
    if (key !== "name") continue;
    if (name !== undefined) throw wrong();
    name = found[2] ?? found[3];
  }
  if (name === undefined) throw wrong();
  return unescaped(name);
}

// https://html.spec.whatwg.org/#multipart-form-data: these three and no others.
const ESCAPES: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

function unescaped(name: string): string {
  if (!name.includes("%")) return name;
  return name.replace(/%(?:22|0D|0A)/gi, (encoded) => ESCAPES[encoded.toUpperCase()] ?? encoded);
}

const UTF_8 = "Send every part of the body in UTF-8 (charset=utf-8).";

function charsetOf(contentType: string): BodyPart["charset"] {
  const charset = /charset/i.test(contentType) ? parameterOf(contentType) : "utf-8";
  const known = Object.hasOwn(PLAIN, charset) ? PLAIN[charset] : undefined;
  if (known === undefined) throw baseFault(415, UTF_8);
  return known;
}

function parameterOf(contentType: string): string {
  if (contentType.length > LONGEST_TYPE) throw brokenMultipart("a part has a Content-Type that is too long");
  try {
    return new MIMEType(contentType).params.get("charset")?.toLowerCase() ?? "utf-8";
  } catch {
    throw brokenMultipart("a part has a malformed Content-Type");
  }
}

export function brokenMultipart(why: string): RequestFault {
  return baseFault(400, `The multipart/form-data body cannot be read: ${why}.`);
}
