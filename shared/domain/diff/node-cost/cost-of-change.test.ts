import { describe, expect, test } from "vitest";
import { nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import type { Cost } from "../../plan/cost.ts";
import { type ChangeInput, costOfChange } from "./cost-of-change.ts";
import {
  digestMirror,
  namespaced,
  policies,
  policyJson,
  registriesConf,
  reloadCrio,
  restartCrio,
  safe,
  search,
  searchDropIn,
  sigstore,
  unsafe,
} from "./fixtures.ts";

type Row = Readonly<{
  name: string;
  input: ChangeInput;
  cost: Cost;
  actions: readonly string[];
  /** The code of the rule that decides. */
  rule: string;
}>;

const byPath: readonly Row[] = [
  {
    name: "nothing changes",
    input: { before: [policyJson], after: [policyJson] },
    cost: "none",
    actions: [],
    rule: "no-change",
  },
  {
    name: "registries.conf changes safely",
    input: safe,
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-safe",
  },
  {
    name: "registries.conf changes unsafely",
    input: unsafe,
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "registries-conf-unsafe",
  },
  {
    name: "registries.conf differs in bytes alone",
    input: { before: [registriesConf(search)], after: [registriesConf(`# a comment\n${search}`)] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-same",
  },
  {
    name: "registries.conf with no more than the template is written for the first time",
    input: { before: [], after: [registriesConf(search)] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-same",
  },
  {
    name: "policy.json comes",
    input: { before: [], after: [policyJson] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "policy.json gets other permissions",
    input: { before: [policyJson], after: [{ ...policyJson, mode: 0o600 }] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a file of registries.d goes",
    input: { before: [sigstore], after: [] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a namespace's policy comes",
    input: { before: [], after: [namespaced] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "the search list's drop-in comes",
    input: { before: [], after: [searchDropIn] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "the search list's drop-in goes",
    input: { before: [searchDropIn], after: [] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "a file that nothing covers comes with a safe change",
    input: { before: [], after: [...safe.after, textFile("/etc/motd", "hello")] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "several reloads come together",
    input: { before: [], after: [...safe.after, policyJson, sigstore, namespaced] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "only a mirror's need for TLS and the mode for short names differ",
    input: {
      before: [registriesConf(digestMirror)],
      after: [registriesConf(`short-name-mode = "enforcing"\n${digestMirror}insecure = true\n`)],
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-safe",
  },
  {
    name: "registries.conf cannot be read",
    input: { before: [registriesConf(search)], after: [registriesConf("[[")] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "registries-conf-unreadable",
  },
];

const byModifier: readonly Row[] = [
  {
    name: "a user wants crio reloaded for registries.conf, whatever changed",
    input: {
      ...unsafe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants crio reloaded for a registries.conf that cannot be read",
    input: {
      before: [],
      after: [registriesConf("[[")],
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants nothing done for registries.conf",
    input: {
      ...unsafe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] }),
    },
    cost: "none",
    actions: [],
    rule: "policy",
  },
  {
    name: "nothing is to be done for one file and crio restarted for another",
    input: {
      before: [],
      after: [...unsafe.after, policyJson],
      machineConfiguration: policies(
        { path: nodePaths.registriesConf, actions: [{ type: "None" }] },
        { path: nodePaths.policy, actions: [restartCrio] },
      ),
    },
    cost: "reload",
    actions: ["restart crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants a drain for policy.json",
    input: {
      before: [],
      after: [policyJson],
      machineConfiguration: policies({ path: nodePaths.policy, actions: [{ type: "Drain" }, reloadCrio] }),
    },
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants a reboot for registries.conf",
    input: {
      ...safe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [{ type: "Reboot" }] }),
    },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "policy",
  },
  {
    name: "a user's policy covers the folder of the search list's drop-in",
    input: {
      before: [],
      after: [searchDropIn],
      machineConfiguration: policies({ path: "/etc/containers/registries.conf.d", actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "there is one node and registries.conf changes unsafely",
    input: { ...unsafe, topology: "SingleReplica" },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "single-replica",
  },
  {
    name: "there is one node and a file that nothing covers",
    input: { before: [], after: [searchDropIn], topology: "SingleReplica" },
    cost: "reboot",
    actions: ["reboot"],
    rule: "no-policy",
  },
  {
    name: "there is one node and a user wants no more than a drain",
    input: {
      before: [],
      after: [policyJson],
      topology: "SingleReplica",
      machineConfiguration: policies({ path: nodePaths.policy, actions: [{ type: "Drain" }] }),
    },
    cost: "none",
    actions: [],
    rule: "policy",
  },
  {
    name: "two control plane nodes share the work",
    input: { ...unsafe, topology: "DualReplica" },
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "registries-conf-unsafe",
  },
];

describe("what a change of files costs", () => {
  test.for([...byPath, ...byModifier])(
    "When $name, it should cost $cost by $rule",
    ({ input, ...expected }) => {
      const { cost, actions, rule } = costOfChange(input);
      expect({ cost, actions, rule: rule.code }).toEqual({
        cost: expected.cost,
        actions: expected.actions,
        rule: expected.rule,
      });
      expect(rule.text).toMatch(/^\S.*\.$/);
    },
  );
});
