// An operation as one calls it from the shell, JavaScript, Python and PHP, with nothing but what each brings. The samples take
// address and token from the environment, so that they run as they are; a test runs some of them.

import { INDENTS, literal } from "./literals.ts";

/** What a sample sends. */
export interface SampleCall {
  /** `POST` */
  readonly method: string;
  /** `/api/transactions/sale` */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** The environment variable that holds the token; undefined if the operation needs none. */
  readonly token: "FAREGATE_TOKEN" | "FAREGATE_OPERATOR_TOKEN" | undefined;
  readonly takesKey: boolean;
}

/** As viewers know it: https://redocly.com/docs-legacy/api-reference-docs/specification-extensions/x-code-samples */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

const JSON_TYPE = "application/json";

/** The same call in four languages. */
export const codeSamples = (call: SampleCall): readonly CodeSample[] => [
  { lang: "Shell", label: "curl", source: inShell(call) },
  { lang: "JavaScript", label: "JavaScript", source: inJavaScript(call) },
  { lang: "Python", label: "Python", source: inPython(call) },
  { lang: "PHP", label: "PHP", source: inPhp(call) },
];

const hasQuery = ({ query }: SampleCall): boolean => Object.keys(query).length > 0;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function inShell(call: SampleCall): string {
  const { method, path, query, json, token, takesKey } = call;
  const options = [
    ...(token ? [`-H "Authorization: Bearer $${token}"`] : []),
    ...(json ? [`-H "Content-Type: ${JSON_TYPE}"`] : []),
    ...(takesKey ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...Object.entries(query).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(json ? [`-d ${quoted(JSON.stringify(json, null, 2))}`] : []),
  ];
  const how = hasQuery(call) ? " -G" : method === (json ? "POST" : "GET") ? "" : ` -X ${method}`;
  return [`curl${how} "$FAREGATE_URL${path}"`, ...options].join(" \\\n  ");
}

function inJavaScript(call: SampleCall): string {
  const { method, path, query, json, token, takesKey } = call;
  const headers = [
    ...(token ? [`Authorization: \`Bearer \${process.env.${token}}\`,`] : []),
    ...(json ? [`"Content-Type": "${JSON_TYPE}",`] : []),
    ...(takesKey ? [`"Idempotency-Key": crypto.randomUUID(),`] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(headers.length > 0 ? ["headers: {", ...headers.map((one) => `  ${one}`), "},"] : []),
    ...(json ? [`body: JSON.stringify(${literal(json, "javascript", 1)}),`] : []),
  ].map((line) => `  ${line}`);
  const url = `\`\${process.env.FAREGATE_URL}${path}${hasQuery(call) ? `?\${query}` : ""}\``;
  return [
    ...(hasQuery(call) ? [`const query = new URLSearchParams(${literal(query, "javascript")});`] : []),
    ...(options.length > 0 ? [`const response = await fetch(${url}, {`, ...options, "});"] : []),
    ...(options.length > 0 ? [] : [`const response = await fetch(${url});`]),
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function inPython(call: SampleCall): string {
  const { method, path, query, json, token, takesKey } = call;
  const modules = [...(json ? ["json"] : []), "os", ...(takesKey ? ["uuid"] : [])].join(", ");
  const headers = [
    ...(token ? [`"Authorization": "Bearer " + os.environ["${token}"],`] : []),
    ...(json ? [`"Content-Type": "${JSON_TYPE}",`] : []),
    ...(takesKey ? [`"Idempotency-Key": str(uuid.uuid4()),`] : []),
  ];
  return [
    `import ${modules}`,
    ...(hasQuery(call) ? ["from urllib.parse import urlencode"] : []),
    "from urllib.request import Request, urlopen",
    "",
    ...(hasQuery(call) ? [`query = urlencode(${literal(query, "python")})`] : []),
    "request = Request(",
    `    os.environ["FAREGATE_URL"] + "${path}${hasQuery(call) ? '?" + query,' : '",'}`,
    `    method="${method}",`,
    ...(headers.length > 0 ? ["    headers={", ...headers.map((one) => `        ${one}`), "    },"] : []),
    ...(json ? [`    data=json.dumps(${literal(json, "python", 1)}).encode(),`] : []),
    ")",
    "with urlopen(request) as response:",
    "    print(response.status, response.read().decode())",
  ].join("\n");
}

function inPhp(call: SampleCall): string {
  const { method, path, query, json, token, takesKey } = call;
  const headers = [
    ...(token ? [`"Authorization: Bearer " . getenv("${token}"),`] : []),
    ...(json ? [`"Content-Type: ${JSON_TYPE}",`] : []),
    ...(takesKey ? [`"Idempotency-Key: " . bin2hex(random_bytes(16)),`] : []),
  ].map((one) => INDENTS.php.repeat(2) + one);
  return [
    "<?php",
    ...(hasQuery(call) ? [`$query = http_build_query(${literal(query, "php")});`] : []),
    `$curl = curl_init(getenv("FAREGATE_URL") . "${path}${hasQuery(call) ? '?" . $query' : '"'});`,
    "curl_setopt_array($curl, [",
    ...(method === "GET" ? [] : [`    CURLOPT_CUSTOMREQUEST => "${method}",`]),
    ...(headers.length > 0 ? ["    CURLOPT_HTTPHEADER => [", ...headers, "    ],"] : []),
    ...(json ? [`    CURLOPT_POSTFIELDS => json_encode(${literal(json, "php", 1)}),`] : []),
    "    CURLOPT_RETURNTRANSFER => true,",
    "]);",
    "$body = curl_exec($curl);",
    'echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), " ", $body, "\\n";',
  ].join("\n");
}
