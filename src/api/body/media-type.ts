// Which of the three formats a body is in, by its headers alone. Everything else is refused with 415.

import type { IncomingHttpHeaders } from "node:http";
import { MIMEType } from "node:util";
import { baseFault, type RequestFault } from "../request-fault.ts";

export type BodyFormat =
  | { readonly kind: "json" }
  | { readonly kind: "urlencoded" }
  | { readonly kind: "multipart"; readonly boundary: string };

/** The format of a body that is not empty; a `RequestFault` of 415 (or 400, a multipart without boundary) if it is none. */
export function formatOf(headers: IncomingHttpHeaders): BodyFormat {
  // A body that is packed could be a thousand times as large as it seems.
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw baseFault(415, "Send the body as it is, without Content-Encoding.", { "accept-encoding": "identity" });
  }
  // Node unpacks nothing but chunks (RFC 9112, section 7.1), whatever else is named before them.
  const coding = headers["transfer-encoding"] ?? "chunked";
  if (coding.toLowerCase() !== "chunked")
    throw baseFault(415, "Send the body as it is, with no Transfer-Encoding but chunked.");
  const header = headers["content-type"];
  if (header === "application/json") return { kind: "json" };
  const type = mimeType(header);
  const charset = type.params.get("charset")?.toLowerCase() ?? "utf-8";
  if (charset !== "utf-8" && charset !== "utf8") throw baseFault(415, "Send the body in UTF-8 (charset=utf-8).");
  switch (type.essence) {
    case "application/json":
      return { kind: "json" };
    case "application/x-www-form-urlencoded":
      return { kind: "urlencoded" };
    case "multipart/form-data":
      return { kind: "multipart", boundary: boundaryOf(type) };
    default:
      throw notTaken();
  }
}

/** Characters. A boundary has 70 at most. Node looks for blanks at the end of each value again from each blank: of 15,000 for 1.4 s. */
export const LONGEST_TYPE = 255;

function mimeType(header: string | undefined): MIMEType {
  if (header === undefined || header.length > LONGEST_TYPE) throw notTaken();
  try {
    return new MIMEType(header);
  } catch {
    throw notTaken();
  }
}

// RFC 2046, section 5.1.1: 1 to 70 characters, none of them a control character.
function boundaryOf(type: MIMEType): string {
  const boundary = type.params.get("boundary") ?? "";
  if (/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary;
  throw baseFault(400, "The Content-Type of a multipart/form-data body must name its boundary, of 1 to 70 characters.");
}

function notTaken(): RequestFault {
  return baseFault(
    415,
    "Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data, " +
      "and say which in Content-Type.",
  );
}
