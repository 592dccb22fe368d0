// The request of the bench as a merchant's program would send it: curl, TypeScript, Python, PHP. Pure.

export type Language = "curl" | "TypeScript" | "Python" | "PHP";
export const LANGUAGES: readonly Language[] = ["curl", "TypeScript", "Python", "PHP"];

export interface SampleRequest {
  /** `https://pay.example.com` */
  readonly gateway: string;
  readonly operation: "sale" | "auth";
  readonly fields: Readonly<Record<string, string>>;
}

const SAMPLES: Readonly<Record<Language, (request: SampleRequest) => string>> = { curl, TypeScript, Python, PHP };

/** The token stands in a variable: there is no secret in what is copied. */
export const sampleOf = (language: Language, request: SampleRequest): string => SAMPLES[language](request);

const addressOf = ({ gateway, operation }: SampleRequest): string => `${gateway}/api/transactions/${operation}`;
const linesOf = ({ fields }: SampleRequest, line: (name: string, value: string) => string): string =>
  Object.entries(fields)
    .map(([name, value]) => line(name, value))
    .join("\n");
const json = (value: string): string => JSON.stringify(value);
const single = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function curl(request: SampleRequest): string {
  // In a shell nothing between single quotes is special but the quote itself.
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(request.fields).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  return [
    `curl ${addressOf(request)}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Idempotency-Key: $(uuidgen)"',
    ...lines,
  ].join(" \\\n  ");
}

function TypeScript(request: SampleRequest): string {
  return `import { createClient } from "@faregate/client";

const client = createClient({ url: ${json(request.gateway)}, token: process.env.TOKEN ?? "" });
const transaction = await client.${request.operation}({
${linesOf(request, (name, value) => `  ${name}: ${json(value)},`)}
});
console.log(transaction.id, transaction.events[0]?.success);`;
}

function Python(request: SampleRequest): string {
  return `import os, uuid, requests

response = requests.post(
    ${json(addressOf(request))},
    headers={
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json={
${linesOf(request, (name, value) => `        ${json(name)}: ${json(value)},`)}
    },
    timeout=60,
)
response.raise_for_status()
print(response.json()["transaction"]["events"][0]["success"])`;
}

function PHP(request: SampleRequest): string {
  return `<?php
$curl = curl_init(${single(addressOf(request))});
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('TOKEN'),
        'Content-Type: application/json',
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    CURLOPT_POSTFIELDS => json_encode([
${linesOf(request, (name, value) => `        ${single(name)} => ${single(value)},`)}
    ]),
]);
$transaction = json_decode(curl_exec($curl), true)['transaction'];
var_dump($transaction['events'][0]['success']);`;
}
