// The two documents that the pages at /docs show: what merchants call and what operators call, each with samples in four
// languages. Both are cut out of the one OpenAPI document, which programs take.

import { textUnder } from "../base-path.ts";
import { type Json, mapped } from "../openapi/publish-schema.ts";
import { codeSamples, type SampleCall } from "./code-samples.ts";
import { type Audience, INTRODUCTIONS } from "./introductions.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly examples?: readonly unknown[] };
}
interface Operation {
  readonly tags: readonly string[];
  readonly security?: readonly Json[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: Examples }>> };
}
type Examples = Readonly<Record<string, { readonly value: Json }>>;
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Tag {
  readonly name: string;
}
interface Document {
  readonly info: Json;
  readonly tags: readonly Tag[];
  readonly paths: Paths;
  readonly webhooks?: Json;
}

/** @param whole the document at /openapi.json */
export function documentFor(audience: Audience, whole: object, basePath = ""): object {
  const { paths, tags, webhooks, info, ...rest } = whole as Document;
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/api/") === (audience === "merchant"));
  const shown = mapped(Object.fromEntries(own), (methods, path) =>
    mapped(methods, (operation, method) => ({
      ...operation,
      tags: operation.tags.map((tag) => (tag === "Operator" ? subjectOf(path) : tag)),
      "x-codeSamples": codeSamples(callOf(method, path, operation)),
    })),
  );
  const { description, ...introduction } = INTRODUCTIONS[audience];
  const about = { ...introduction, description: textUnder(basePath, description), version: info.version };
  if (audience === "operator") return { ...rest, info: about, tags: tagsOf(shown, tags), paths: shown };
  return { ...rest, info: about, tags: tagsOf(shown, tags, ["Webhooks"]), paths: shown, webhooks };
}

/** What an operator's path is about: `/operator/merchants/{id}/card-testing` → `Card testing` */
function subjectOf(path: string): string {
  const [first = "", , second] = path.replace(/^\/operator\//, "").split("/");
  const words = (first === "merchants" ? (second ?? first) : first).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Those that are used, in the order of the operations; those of the whole document come last among others. */
function tagsOf(paths: Paths, known: readonly Tag[], more: readonly string[] = []): readonly Tag[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = new Set([...operations.flatMap(({ tags }) => tags), ...more]);
  const tags = [...names].map((name) => known.find((tag) => tag.name === name) ?? { name });
  return [...tags.filter((tag) => !known.includes(tag)), ...tags.filter((tag) => known.includes(tag))];
}

/** An id of the form that all records have. */
const ID = "01a202e5-57d0-772b-b95d-a958016aff7e";

function callOf(method: string, path: string, { security, parameters = [], requestBody }: Operation): SampleCall {
  const [scheme = { apiToken: [] }] = security ?? [];
  const examples = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  const operators = "operatorToken" in scheme;
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{\w+\}/g, ID),
    query: queryOf(parameters),
    json: examples.map(({ value }) => value).find((value) => Object.keys(value).length > 0),
    token: security?.length === 0 ? undefined : operators ? "FAREGATE_OPERATOR_TOKEN" : "FAREGATE_TOKEN",
    takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
  };
}

/** What is required, else the first filter: it shows how brackets are sent. */
function queryOf(parameters: readonly Parameter[]): Readonly<Record<string, string>> {
  const shown = parameters.filter((one) => one.in === "query" && one.schema.examples !== undefined);
  const required = shown.filter((one) => one.required);
  const filter = shown.filter(({ name }) => name.includes("[")).slice(0, 1);
  return Object.fromEntries(
    (required.length > 0 ? required : filter).map(({ name, schema }) => [name, String(schema.examples?.[0])]),
  );
}
