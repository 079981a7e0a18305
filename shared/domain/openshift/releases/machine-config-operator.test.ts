import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { clusterReleases } from "./cluster-releases.ts";
import { assumedForm, type OperatorForm, operatorForm, ownForm } from "./machine-config-operator.ts";
import { parseRelease } from "./release.ts";

const v1alpha1 = "config.openshift.io/v1alpha1" as const;
const in416: OperatorForm = {
  ignition: "3.4.0",
  hasAuthHelper: false,
  policyIndent: "",
  namespaceIndent: undefined,
  namesMirrorsOfScopes: false,
  skipsPayloadScopes: true,
  readsPki: false,
  policyVersion: v1alpha1,
  readsDrainOverride: true,
  rebootsImageMode: true,
  keepsSpecialBits: false,
};
const in417: OperatorForm = {
  ...in416,
  policyIndent: "  ",
  namesMirrorsOfScopes: true,
  skipsPayloadScopes: false,
};
const in418: OperatorForm = { ...in417, namespaceIndent: " " };
const in419: OperatorForm = {
  ...in418,
  ignition: "3.5.0",
  hasAuthHelper: true,
  namespaceIndent: "  ",
  readsPki: true,
};
const in420: OperatorForm = {
  ...in419,
  policyVersion: "config.openshift.io/v1",
  readsDrainOverride: false,
  rebootsImageMode: false,
};
const in423: OperatorForm = { ...in420, keepsSpecialBits: true };

test.for([
  { release: "4.14", form: in416 },
  { release: "4.16", form: in416 },
  { release: "4.17", form: in417 },
  { release: "4.18", form: in418 },
  { release: "4.19", form: in419 },
  { release: "4.20", form: in420 },
  { release: "4.22", form: in420 },
  { release: "4.23", form: in423 },
  { release: "6.0", form: in423 },
])("When the release is $release, the operator should have the form of its branch", ({ release, form }) => {
  const parsed = parseRelease(release);
  expect(parsed && operatorForm(parsed)).toEqual(form);
});

test("When hubrelay writes itself, every release should be able to read it", () => {
  expect(ownForm).toEqual({ ...in423, ignition: "3.4.0" });
});

const withHistory = (version: string): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  status: { history: [{ state: "Completed", version }] },
});

test.for([
  { version: "4.16.0", assumed: undefined },
  { version: "5.1.9", assumed: undefined },
  { version: "4.15.30", assumed: "the form of 4.15 is unknown: that of 4.16 is assumed" },
  { version: "5.2.0", assumed: undefined },
  { version: "5.3.0", assumed: "the form of 5.3 is unknown: that of 5.1 is assumed" },
  { version: "unknown", assumed: "no release is known: the form of 5.1 is assumed" },
])("When the version is $version, it should assume: $assumed", ({ version, assumed }) => {
  expect(assumedForm(clusterReleases(withHistory(version)))).toBe(assumed);
});
