import { expect, test } from "vitest";
import { nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { withPresentTexts } from "./present-files.ts";

const policy = (...scopes: readonly string[]) =>
  JSON.stringify({ transports: { docker: { "q.io": scopes.map((type) => ({ type })) } } });

const conf = `short-name-mode = ""\nadditional-layer-store-auth-helper = ""\n\n[[registry]]\n  location = "b.io"\n`;

test.for([
  {
    name: "requirements are in another order",
    path: nodePaths.policy,
    present: policy("b", "a"),
    kept: true,
  },
  { name: "a requirement differs", path: nodePaths.policy, present: policy("b", "c"), kept: false },
  { name: "the present policy is no JSON", path: nodePaths.policy, present: "{", kept: false },
  {
    name: "another release wrote registries.conf",
    path: nodePaths.registriesConf,
    present: conf.replace('additional-layer-store-auth-helper = ""\n', ""),
    kept: true,
  },
  {
    name: "registries.conf has another entry",
    path: nodePaths.registriesConf,
    present: conf.replace("b.io", "c.io"),
    kept: false,
  },
])("When $name, the present text should be kept: $kept", ({ path, present, kept }) => {
  const rendered = textFile(path, path === nodePaths.policy ? policy("a", "b") : conf);
  const found = textFile(path, present);
  expect(withPresentTexts([rendered], [found])).toEqual([kept ? found : rendered]);
  expect(withPresentTexts([rendered], [{ ...found, mode: 0o600 }])).toEqual([rendered]);
});
