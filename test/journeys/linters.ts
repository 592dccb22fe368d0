// What the two usual linters of OpenAPI documents say of one, each with its own rules as they come.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";

/** Every problem of `recommended-strict`, where nothing is a mere warning. */
export async function redocly(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "/openapi.json",
    config,
  });
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer ?? ""}: ${message}`);
}

/** Every problem of `spectral:oas`, hints included. */
export async function spectral(document: object): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: spectralRulesets.oas as RulesetDefinition });
  const problems = await linter.run(structuredClone(document) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`);
}
