// What each reference says before its operations. Headings become entries of its menu.

export const AUDIENCES = ["merchant", "operator"] as const;
export type Audience = (typeof AUDIENCES)[number];

interface Introduction {
  readonly title: string;
  readonly description: string;
}

const FOR_MERCHANTS = `Charge cards over HTTP: sales, authorizations, captures, voids, refunds and reversals, and lists of what happened.

# First call

The samples beside each operation read the gateway's address and your token from the environment. In the sandbox:

\`\`\`
export FAREGATE_URL=http://127.0.0.1:8080
export FAREGATE_TOKEN=$(node -p 'require("./data/sandbox.json").api_token')
\`\`\`

Then paste the sample of [a sale](#tag/Transactions/operation/createSale).

# Test cards

The sandbox moves no money. It approves every card, such as 4111111111111111, except these:

| Card | Result |
|---|---|
| 4000000000000002 | 05 do not honor |
| 4000000000009995 | 51 insufficient funds |
| 4000000000000069 | 54 expired card |
| 4000000000000127 | N7 CVV mismatch |
| 4000000000000010 | approved, the address does not match |
| 4000000000005126 | the sale is approved, its refund declined with 05 |
| 4000000000000341 | the authorization is approved, its capture declined with 05 |
| 4000000000000408 | no answer |
| 4000000000000689 | the answer comes too late |
| 4000000000000911 | 91 issuer unavailable |
| 4000000000000119 | 96 system malfunction |

# Requests

A body is JSON, urlencoded or multipart. In forms, brackets nest: \`passenger_transport[0][legs][1][fare]\`.

Send amounts as text, \`"3.56"\`: many languages change a number like 3.56 on its way into JSON. Responses have text too. Where a
field takes a number, a text with that number is the same. An empty text and \`null\` mean that the field is absent, except for the
\`amount\` of a follow-up. Unknown fields are ignored and listed in the response header \`Faregate-Ignored-Fields\`.

# Safe retries

Send an \`Idempotency-Key\` with every POST, and store it with your order first. If no response comes, send the same request with the
same key: you get the first response, and nothing is charged twice.

# Declines

A decline is a normal response with status 200. Look at \`events[0].success\`; \`decline_category\` says what to do next.

# Errors

Every error has the same shape, with messages by field:

\`\`\`json
{"error":{"status":422,"code":"refund-exceeds-captured","message":{"amount":["More than is left to refund: at most 50.00."]}},"debug":[]}
\`\`\`

The header \`Link\` leads to the error's place on the [page of errors](/docs/errors), which says why it happens and what to do. Besides the
errors listed with each operation, an unknown path gets 404, another method 405, a request that stalls 408, and headers of more than
16 KiB 431.

Every response has an \`X-Request-Id\`, which is in the gateway's log too. Give it to the operator when you ask for help. To choose it
yourself, send one: 1 to 64 letters, digits and \`. _ : + / = -\`.`;

const FOR_OPERATORS = `Set up merchants, their users, tokens, processor records and webhooks, and see what the gateway does.

# First call

The samples beside each operation read the gateway's address and an operator's token from the environment. In the sandbox:

\`\`\`
export FAREGATE_URL=http://127.0.0.1:8080
export FAREGATE_OPERATOR_TOKEN=$(node -p 'require("./data/sandbox.json").operator_token')
\`\`\`

In live mode, \`npx faregate operator-token create --name Jane\` makes the first token. The command line can do everything that these
paths do.

# Changes

Every change is in the [audit log](#tag/Audit-log): who, what, when, from where, before and after. Running gateways apply a change within a
second. Secrets are shown once, in the response that creates them.

# Errors

Errors have the shape that merchants get, and the header \`Link\` leads to the [page of errors](/docs/errors). These paths have no
idempotency keys and no rate limit; failed authentications are limited by address.`;

export const INTRODUCTIONS: Readonly<Record<Audience, Introduction>> = {
  merchant: { title: "API for merchants", description: FOR_MERCHANTS },
  operator: { title: "API for operators", description: FOR_OPERATORS },
};
