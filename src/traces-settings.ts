// The settings of traces: without an address to send them to there are none.

export interface TracesSettings {
  /** TRACES_ENDPOINT: where OpenTelemetry's protocol is spoken over HTTP, with its path. */
  readonly endpoint: string;
  /** TRACES_SHARE: of the requests, from above 0 to 1. */
  readonly share: number;
}

type Read = <T>(name: string, parse: (text: string) => T | undefined, right: string) => T | undefined;

export function readTracesSettings(read: Read): TracesSettings | undefined {
  const endpoint = read("TRACES_ENDPOINT", parseEndpoint, "an address such as http://127.0.0.1:4318/v1/traces");
  const share = read("TRACES_SHARE", parseShare, "a number above 0 and up to 1, such as 0.01");
  return endpoint === undefined ? undefined : { endpoint, share: share ?? 1 };
}

function parseEndpoint(text: string): string | undefined {
  const url = URL.parse(text);
  const isOne = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.pathname !== "/";
  return isOne ? text : undefined;
}

function parseShare(text: string): number | undefined {
  const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  return share > 0 && share <= 1 ? share : undefined;
}
