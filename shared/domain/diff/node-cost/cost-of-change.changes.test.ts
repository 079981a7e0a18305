import { describe, expect, test } from "vitest";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { costOfChange } from "./cost-of-change.ts";
import { digest, filesOf, other, policies, policyJson, source, tag, unsafe } from "./fixtures.ts";

describe("the changes", () => {
  test("When several things change, it should list the most expensive first, files before scopes, then by name", () => {
    const { changes } = costOfChange({
      before: filesOf([digest("m.lan"), other]),
      after: [...filesOf([digest("m.lan", "n.lan"), tag("t.lan")]), policyJson],
    });
    expect(
      changes.map((change) => [change.cost, "path" in change ? change.path : change.scope, change.kind]),
    ).toEqual([
      ["drain", nodePaths.registriesConf, "changed"],
      ["drain", "a.io/other", "removed"],
      ["drain", source, "changed"],
      ["reload", nodePaths.policy, "added"],
    ]);
  });

  test("When a scope changes in several ways, it should list all, the deciding one first", () => {
    const { changes } = costOfChange({
      before: filesOf([digest("m.lan")]),
      after: filesOf([digest("n.lan"), tag("t.lan")]),
    });
    const scope = changes.find((change) => "scope" in change);
    expect(scope?.rule).toEqual({
      code: "mirror-removed",
      text: "Removed from the mirrors: m.lan. The new mirror t.lan serves tag-only. The new mirror n.lan serves pulls by digest only.",
    });
    expect(scope).toMatchObject({
      before: { location: source, mirrors: [{ location: "m.lan" }] },
      after: { location: source, mirrors: [{ location: "n.lan" }, { location: "t.lan" }] },
    });
  });

  test("When a policy decides whatever changed, it should be the rule of every scope", () => {
    const machineConfiguration = policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] });
    const { changes } = costOfChange({ ...unsafe, machineConfiguration });
    expect(changes.map(({ cost, rule: { code } }) => [cost, code])).toEqual([
      ["none", "policy"],
      ["none", "policy"],
    ]);
  });
});
