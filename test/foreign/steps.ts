// The foreign step: the gateway against programs and documents that others wrote. Each step is a file of tests that needs tools which
// not every machine has; where one is missing, the step is skipped, and the run says so.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ADYEN_CHECKOUT, ADYEN_WEBHOOKS } from "./adyen/documents.ts";

export interface Step {
  readonly name: string;
  /** What it tries, for people. */
  readonly what: string;
  /** Its tests, from the project's folder. The name ends in `.foreign.ts`, so that `npm test` does not run it by itself. */
  readonly file: string;
  /** Programs in PATH that it needs. */
  readonly programs: readonly string[];
  /** Files that it needs beside the project. */
  readonly documents?: readonly string[];
}

export const STEPS: readonly Step[] = [
  {
    name: "stripe-mock",
    what: "Stripe's own mock server takes every request of the Stripe kind",
    file: "test/foreign/stripe/stripe-mock.foreign.ts",
    programs: ["go"],
  },
  {
    name: "stripe-events",
    what: "Stripe's published samples, signed by Stripe's library, are received",
    file: "test/foreign/stripe/stripe-events.foreign.ts",
    programs: ["go"],
  },
  {
    name: "stripe-fields",
    what: "every field that is read of Stripe's objects is in Stripe's published document",
    file: "test/foreign/stripe/stripe-fields.foreign.ts",
    programs: ["go"],
  },
  {
    name: "iso8583-moov",
    what: "after a course of payments a host on moov-io/iso8583 and the gateway have the same books",
    file: "test/foreign/iso8583/moov.foreign.ts",
    programs: ["go"],
  },
  {
    name: "iso8583-jpos",
    what: "after a course of payments a host on jPOS and the gateway have the same books",
    file: "test/foreign/iso8583/jpos.foreign.ts",
    programs: ["java", "mvn"],
  },
  {
    name: "adyen-requests",
    what: "every request of the Adyen kind fits Adyen's published document, by a validator in Python",
    file: "test/foreign/adyen/adyen-requests.foreign.ts",
    programs: ["python3"],
    documents: [ADYEN_CHECKOUT],
  },
  {
    name: "adyen-webhooks",
    what: "Adyen's published samples, signed by Adyen's library, are received",
    file: "test/foreign/adyen/adyen-webhooks.foreign.ts",
    programs: [],
    documents: [ADYEN_WEBHOOKS],
  },
  {
    name: "adyen-fields",
    what: "every field that is read of Adyen's answers and webhooks is in Adyen's published documents",
    file: "test/foreign/adyen/adyen-fields.foreign.ts",
    programs: [],
    documents: [ADYEN_CHECKOUT, ADYEN_WEBHOOKS],
  },
  {
    name: "generated-clients",
    what: "the clients that common generators make of /openapi.json compile and work",
    file: "test/foreign/generated-clients/generated-clients.foreign.ts",
    // Each generator needs other tools, and is skipped by itself.
    programs: [],
  },
  {
    name: "image",
    what: "the image is built for two kinds of processor, sells under podman while it may write nothing, and ends",
    file: "test/foreign/image/image.foreign.ts",
    programs: ["buildah", "podman", "debootstrap", "dpkg-deb", "npm"],
  },
  {
    name: "compose",
    what: "compose.yaml is started by podman-compose, sells through its proxy, and has its data after down and up",
    file: "test/foreign/image/compose.foreign.ts",
    programs: ["buildah", "podman", "debootstrap", "dpkg-deb", "npm", "python3"],
  },
  {
    name: "signature",
    what: "cosign signs the image that is pushed, and verifies it offline",
    file: "test/foreign/image/signature.foreign.ts",
    programs: ["buildah", "debootstrap", "dpkg-deb", "npm", "go"],
  },
  {
    name: "proxies",
    what: "nginx, HAProxy and Caddy pass sales on, and the gateway knows who the clients are",
    file: "test/foreign/proxies/proxies.foreign.ts",
    // Each is skipped by itself.
    programs: [],
  },
  {
    name: "chart",
    what: "what Helm makes of the chart fits Kubernetes' own types, and wrong values are refused",
    file: "test/foreign/chart/chart.foreign.ts",
    programs: ["go"],
  },
];

/** What this machine lacks for a step, in words; undefined where it has all. */
export function missingFor({ programs, documents = [] }: Step): string | undefined {
  const lacking = [
    ...programs.filter((program) => !isInPath(program)).map((program) => `${program} is not in PATH`),
    ...documents.filter((document) => !existsSync(document)).map((document) => `there is no ${document}`),
  ];
  return lacking.length === 0 ? undefined : lacking.join(", ");
}

export const isInPath = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
