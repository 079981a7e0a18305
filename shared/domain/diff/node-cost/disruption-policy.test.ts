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
    { name: "there is no MachineConfiguration", object: undefined, actions: ["reload crio.service"] },
    {
      name: "it says nothing about files",
      object: machineConfiguration({}),
      actions: ["reload crio.service"],
    },
    {
      name: "its spec overrides the path",
      object: machineConfiguration({ spec: [file(registriesConf, { type: "Drain" }, reloadCrio)] }),
      actions: ["drain", "reload crio.service"],
    },
    {
      name: "its spec has a folder above the path",
      object: machineConfiguration({ spec: [file("/etc/containers", { type: "Reboot" })] }),
      actions: ["reload crio.service"],
    },
    {
      name: "its status is that of the spec",
      object: machineConfiguration(
        { spec: [file(registriesConf, { type: "None" })], status: [file(registriesConf, { type: "Drain" })] },
        { generation: 3, observedGeneration: 3 },
      ),
      actions: ["drain"],
    },
    {
      name: "its status is older than its spec",
      object: machineConfiguration(
        { spec: [file(registriesConf, { type: "None" })], status: [file(registriesConf, { type: "Drain" })] },
        { generation: 4, observedGeneration: 3 },
      ),
      actions: ["none"],
    },
    {
      name: "its status lacks the path",
      object: machineConfiguration({ status: [file("/etc/crio/policies", reloadCrio)] }),
      actions: undefined,
    },
    {
      name: "an action is unknown",
      object: machineConfiguration({ spec: [file(registriesConf, { type: "Dance" }, "jump")] }),
      actions: ["reboot", "reboot"],
    },
  ])("When $name, it should give $actions", ({ object, actions }) => {
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
    { name: "the path itself", policies: ["/etc/a"], path: "/etc/a", found: "/etc/a" },
    { name: "a folder above it", policies: ["/etc/a"], path: "/etc/a/b/c.json", found: "/etc/a" },
    { name: "a folder with a slash at its end", policies: ["/etc/a/"], path: "/etc/a/b", found: "/etc/a/" },
    { name: "a name that only begins alike", policies: ["/etc/a"], path: "/etc/a.d/b", found: undefined },
    {
      name: "several folders",
      policies: ["/etc", "/etc/a/b", "/etc/a"],
      path: "/etc/a/b/c",
      found: "/etc/a/b",
    },
    {
      name: "the root, which machine-config-operator compares with two slashes",
      policies: ["/"],
      path: "/etc/a",
      found: undefined,
    },
    { name: "nothing", policies: ["/var"], path: "/etc/a", found: undefined },
  ])("When the policies cover $name, it should find $found", ({ policies, path, found }) => {
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
