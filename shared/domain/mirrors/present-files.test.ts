import { expect, test } from "vitest";
import { nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { withPresentTexts } from "./present-files.ts";

const policy = (...scopes: readonly string[]) =>
  JSON.stringify({ transports: { docker: { "q.io": scopes.map((type) => ({ type })) } } });

const conf = `short-name-mode = ""\nadditional-layer-store-auth-helper = ""\n\n[[registry]]\n  location = "b.io"\n`;

test.for([
  ["requirements are in another order", nodePaths.policy, policy("b", "a"), true],
  ["a requirement differs", nodePaths.policy, policy("b", "c"), false],
  ["the present policy is no JSON", nodePaths.policy, "{", false],
  [
    "another release wrote registries.conf",
    nodePaths.registriesConf,
    conf.replace('additional-layer-store-auth-helper = ""\n', ""),
    true,
  ],
  ["registries.conf has another entry", nodePaths.registriesConf, conf.replace("b.io", "c.io"), false],
] as const)("When $0, the present text should be kept: $3", ([, path, present, kept]) => {
  const rendered = textFile(path, path === nodePaths.policy ? policy("a", "b") : conf);
  const found = textFile(path, present);
  expect(withPresentTexts([rendered], [found])).toEqual([kept ? found : rendered]);
  expect(withPresentTexts([rendered], [{ ...found, mode: 0o600 }])).toEqual([rendered]);
});
