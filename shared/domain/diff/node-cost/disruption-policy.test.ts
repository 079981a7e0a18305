import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  actionText,
  defaultFilePolicies,
  filePoliciesOf,
  findFilePolicy,
  type PolicyAction,
} from "./disruption-policy.ts";

const file = (path: string, ...actions: readonly unknown[]) => ({ path, actions });
const machineConfiguration = (
  fields: Readonly<{ spec?: readonly unknown[]; status?: readonly unknown[] }>,
  generations: Readonly<{ generation?: number; observedGeneration?: number }> = {},
): KubernetesObject => ({
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  metadata: { name: "cluster", ...(generations.generation ? { generation: generations.generation } : {}) },
  spec: fields.spec ? { nodeDisruptionPolicy: { files: fields.spec } } : {},
  status: {
    ...(generations.observedGeneration ? { observedGeneration: generations.observedGeneration } : {}),
    ...(fields.status ? { nodeDisruptionPolicyStatus: { clusterPolicies: { files: fields.status } } } : {}),
  },
});
const registriesConf = "/etc/containers/registries.conf";
const reloadCrio = { type: "Reload", reload: { serviceName: "crio.service" } };

const actionsFor = (object: KubernetesObject | undefined, path: string) =>
  findFilePolicy(filePoliciesOf(object), path)?.actions.map(actionText);

describe("the policies in force", () => {
  test.for([
    ["there is no MachineConfiguration", undefined, ["reload crio.service"]],
    ["it says nothing about files", machineConfiguration({}), ["reload crio.service"]],
    [
      "its spec overrides the path",
      machineConfiguration({ spec: [file(registriesConf, { type: "Drain" }, reloadCrio)] }),
      ["drain", "reload crio.service"],
    ],
    [
      "its status is that of the spec",
      machineConfiguration(
        { spec: [file(registriesConf, { type: "None" })], status: [file(registriesConf, { type: "Drain" })] },
        { generation: 3, observedGeneration: 3 },
      ),
      ["drain"],
    ],
    [
      "its status is older than its spec",
      machineConfiguration(
        { spec: [file(registriesConf, { type: "None" })], status: [file(registriesConf, { type: "Drain" })] },
        { generation: 4, observedGeneration: 3 },
      ),
      ["none"],
    ],
    ["a status lacks the path", machineConfiguration({ status: [file("/etc/crio", reloadCrio)] }), undefined],
    [
      "an action is unknown",
      machineConfiguration({ spec: [file(registriesConf, { type: "Dance" }, "jump")] }),
      ["reboot", "reboot"],
    ],
  ] as const)("When $0, it should give $2", ([, object, actions]) => {
    expect(actionsFor(object, registriesConf)).toEqual(actions);
  });

  test("When the spec overrides one path and adds another, it should keep all other defaults", () => {
    const added = file("/etc/containers/registries.conf.d", reloadCrio);
    const policies = filePoliciesOf(
      machineConfiguration({ spec: [file(registriesConf, { type: "None" }), added] }),
    );
    expect(policies.map(({ path }) => path)).toEqual([
      ...defaultFilePolicies.map(({ path }) => path),
      "/etc/containers/registries.conf.d",
    ]);
    expect(policies[0]?.actions).toEqual([{ type: "None" }]);
    expect(policies.slice(1, -1)).toEqual(defaultFilePolicies.slice(1));
  });

  test.for([
    null,
    "spec",
    { nodeDisruptionPolicy: [] },
    { nodeDisruptionPolicy: { files: [7, { actions: [] }] } },
  ])("When the spec is %j, it should read it as saying nothing", (spec) => {
    const object = { ...machineConfiguration({}), spec };
    expect(filePoliciesOf(object)).toEqual(defaultFilePolicies);
  });
});

describe("the policy for a path", () => {
  const at = (path: string) => ({ path, actions: [] });
  test.for([
    ["the path itself", ["/etc/a"], "/etc/a", "/etc/a"],
    ["a folder above it", ["/etc/a"], "/etc/a/b/c.json", "/etc/a"],
    ["a folder with a slash at its end", ["/etc/a/"], "/etc/a/b", "/etc/a/"],
    ["a name that only begins alike", ["/etc/a"], "/etc/a.d/b", undefined],
    ["several folders", ["/etc", "/etc/a/b", "/etc/a"], "/etc/a/b/c", "/etc/a/b"],
    ["the root, which machine-config-operator compares with two slashes", ["/"], "/etc/a", undefined],
    ["nothing", ["/var"], "/etc/a", undefined],
  ] as const)("When the policies cover $0, it should find $3", ([, policies, path, found]) => {
    expect(findFilePolicy(policies.map(at), path)?.path).toBe(found);
  });
});

test.for<readonly [PolicyAction, string]>([
  [{ type: "Reload", service: "a.service" }, "reload a.service"],
  [{ type: "Restart", service: "a.service" }, "restart a.service"],
  [{ type: "DaemonReload" }, "daemon-reload"],
  [{ type: "Special" }, "reload crio.service"],
  [{ type: "Reboot" }, "reboot"],
  [{ type: "None" }, "none"],
])("When a person reads the action %j, it should be called %s", ([action, text]) => {
  expect(actionText(action)).toBe(text);
});
