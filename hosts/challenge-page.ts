// The page at which a payer authenticates, as the hosts serve it for card issuers: in a real browser, with a button for each way it may go.

import type { ServerResponse } from "node:http";

export type Choice = "pass" | "fail" | "abandon";

/** @param base of the buttons' addresses, to which `/pass`, `/fail` and `/abandon` are added */
export function sendChallengePage(response: ServerResponse, base: string, amount: string): void {
  const button = (choice: Choice, words: string) =>
    `<form method="post" action="${base}/${choice}"><button id="${choice}">${words}</button></form>`;
  sendHtml(
    response,
    `<h1>Your bank</h1><p id="amount">${amount}</p>${button("pass", "Authenticate")}${button("fail", "Fail")}${button("abandon", "Abandon")}`,
  );
}

export const sendAbandoned = (response: ServerResponse): void =>
  sendHtml(response, '<h1>Your bank</h1><p id="abandoned">You may close this page.</p>');

export const sendNothing = (response: ServerResponse): void =>
  void response.writeHead(404, { "content-type": "text/plain" }).end("There is no such challenge.\n");

export const sendBack = (
  response: ServerResponse,
  returnUrl: string,
  query: Readonly<Record<string, string>>,
): void => {
  const to = new URL(returnUrl);
  for (const [name, value] of Object.entries(query)) to.searchParams.set(name, value);
  response.writeHead(302, { location: to.href }).end();
};

function sendHtml(response: ServerResponse, body: string): void {
  response
    .writeHead(200, { "content-type": "text/html; charset=utf-8" })
    .end(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your bank</title></head><body>${body}</body></html>`,
    );
}
