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

/** With the code of the rule that decides, and the actions where they do not follow from the cost. */
type Row = readonly [name: string, input: ChangeInput, cost: Cost, rule: string, actions?: readonly string[]];

const usual: Partial<Record<Cost, readonly string[]>> = {
  none: [],
  reload: ["reload crio.service"],
  drain: ["drain", "reload crio.service"],
  reboot: ["drain", "reboot"],
};
const { registriesConf: conf, policy: policyPath } = nodePaths;
const unreadable = registriesConf("[[");
const single = { topology: "SingleReplica" };
const dropIn = { before: [], after: [searchDropIn] };
const comes = { before: [], after: [policyJson] };
const folder = "/etc/containers/registries.conf.d";
const none = { type: "None" };
const drain = { type: "Drain" };
const wanting = (path: string, ...actions: readonly unknown[]) => ({
  machineConfiguration: policies({ path, actions }),
});

const closed = { ...policyJson, mode: 0o600 };
const several = [...safe.after, policyJson, sigstore, namespaced];
const byPath: readonly Row[] = [
  ["nothing changes", { before: [policyJson], after: [policyJson] }, "none", "no-change"],
  ["registries.conf changes safely", safe, "reload", "registries-conf-safe"],
  ["registries.conf changes unsafely", unsafe, "drain", "registries-conf-unsafe"],
  [
    "registries.conf differs in bytes alone",
    { before: [registriesConf(search)], after: [registriesConf(`# a comment\n${search}`)] },
    "reload",
    "registries-conf-same",
  ],
  [
    "registries.conf with no more than the template is written for the first time",
    { before: [], after: [registriesConf(search)] },
    "reload",
    "registries-conf-same",
  ],
  ["policy.json comes", comes, "reload", "policy"],
  ["policy.json gets other permissions", { before: [policyJson], after: [closed] }, "reload", "policy"],
  ["a file of registries.d goes", { before: [sigstore], after: [] }, "reload", "policy"],
  ["a namespace's policy comes", { before: [], after: [namespaced] }, "reload", "policy"],
  ["the search list's drop-in comes", dropIn, "reboot", "no-policy"],
  ["the search list's drop-in goes", { before: [searchDropIn], after: [] }, "reboot", "no-policy"],
  [
    "a file that nothing covers comes with a safe change",
    { before: [], after: [...safe.after, textFile("/etc/motd", "hello")] },
    "reboot",
    "no-policy",
  ],
  ["several reloads come together", { before: [], after: several }, "reload", "policy"],
  [
    "only a mirror's need for TLS and the mode for short names differ",
    {
      before: [registriesConf(digestMirror)],
      after: [registriesConf(`short-name-mode = "enforcing"\n${digestMirror}insecure = true\n`)],
    },
    "reload",
    "registries-conf-safe",
  ],
  [
    "registries.conf cannot be read",
    { before: [registriesConf(search)], after: [unreadable] },
    "reboot",
    "registries-conf-unreadable",
  ],
];

const byModifier: readonly Row[] = [
  [
    "a user wants crio reloaded, whatever changed",
    { ...unsafe, ...wanting(conf, reloadCrio) },
    "reload",
    "policy",
  ],
  [
    "a user wants it for what cannot be read",
    { before: [], after: [unreadable], ...wanting(conf, reloadCrio) },
    "reload",
    "policy",
  ],
  ["a user wants nothing done", { ...unsafe, ...wanting(conf, none) }, "none", "policy"],
  [
    "nothing is to be done for one file and crio restarted for another",
    {
      before: [],
      after: [...unsafe.after, policyJson],
      machineConfiguration: policies(
        { path: conf, actions: [none] },
        { path: policyPath, actions: [restartCrio] },
      ),
    },
    "reload",
    "policy",
    ["restart crio.service"],
  ],
  [
    "a user wants a drain for policy.json",
    { ...comes, ...wanting(policyPath, drain, reloadCrio) },
    "drain",
    "policy",
  ],
  ["a user wants a reboot", { ...safe, ...wanting(conf, { type: "Reboot" }) }, "reboot", "policy"],
  [
    "a policy covers the folder of a drop-in",
    { ...dropIn, ...wanting(folder, reloadCrio) },
    "reload",
    "policy",
  ],
  ["one node has an unsafe change", { ...unsafe, ...single }, "reload", "single-replica"],
  ["one node has a file that nothing covers", { ...dropIn, ...single }, "reboot", "no-policy", ["reboot"]],
  [
    "one node has a policy that drains",
    { ...comes, ...single, ...wanting(policyPath, drain) },
    "none",
    "policy",
  ],
  ["two nodes share the work", { ...unsafe, topology: "DualReplica" }, "drain", "registries-conf-unsafe"],
];

describe("what a change of files costs", () => {
  test.for([...byPath, ...byModifier])("When $0, it should cost $2 by $3", ([, input, ...expected]) => {
    const { cost, actions, rule } = costOfChange(input);
    const [wantedCost, wantedRule, wantedActions = usual[wantedCost]] = expected;
    expect([cost, rule.code, actions]).toEqual([wantedCost, wantedRule, wantedActions]);
    expect(rule.text).toMatch(/^\S.*\.$/);
  });
});
