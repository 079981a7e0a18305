import { expect, test } from "vitest";
import { nodePaths, textFile } from "../machine-config/node-file.ts";
import { withPresentTexts } from "./present-files.ts";

const policy = (...scopes: readonly string[]) =>
  JSON.stringify({ transports: { docker: { "q.io": scopes.map((type) => ({ type })) } } });

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
    name: "registries.conf has other blanks",
    path: nodePaths.registriesConf,
    present: "a  = 1\n",
    kept: false,
  },
])("When $name, the present text should be kept: $kept", ({ path, present, kept }) => {
  const rendered = textFile(path, path === nodePaths.policy ? policy("a", "b") : "a = 1\n");
  const found = textFile(path, present);
  expect(withPresentTexts([rendered], [found])).toEqual([kept ? found : rendered]);
  expect(withPresentTexts([rendered], [{ ...found, mode: 0o600 }])).toEqual([rendered]);
});
