import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { kindsCheck } from "./kind-checks.ts";

const interest = {
  name: "mirror-config",
  kinds: [kinds.Image, kinds.ImageSourceTagPolicy, kinds.MachineConfig],
  required: [kinds.Image, kinds.MachineConfig],
};
const config = kinds.Image.apiVersion;
const machines = kinds.MachineConfig.apiVersion;

const cases = [
  {
    title: "serves all",
    resources: { [config]: ["images", "imagesourcetagpolicies"], [machines]: ["machineconfigs"] },
    state: "ok",
    says: "3 of 3 kinds are served.",
  },
  {
    title: "lacks what need not be there",
    resources: { [config]: ["images"], [machines]: ["machineconfigs"] },
    state: "note",
    says: "2 of 3 kinds are served; not imagesourcetagpolicies of config.openshift.io/v1.",
  },
  {
    title: "is no OpenShift",
    resources: {},
    state: "problem",
    says: "does not serve images of config.openshift.io/v1, machineconfigs of machineconfiguration.openshift.io/v1",
  },
  {
    title: "serves another version only",
    resources: { [config]: ["images"] },
    otherVersions: { [machines]: ["v1beta1"] },
    state: "problem",
    says: "The hub serves machineconfiguration.openshift.io only as v1beta1, not as machineconfiguration.openshift.io/v1.",
  },
];

test.for(cases)(
  "When a hub $title, it should be told as $state",
  ({ resources, otherVersions = {}, state, says }) => {
    const served = {
      resources: new Map(Object.entries(resources).map(([version, plurals]) => [version, new Set(plurals)])),
      otherVersions: new Map(Object.entries(otherVersions)),
    };
    expect(kindsCheck(interest, served)).toMatchObject({
      name: "kinds of mirror-config",
      state,
      found: expect.stringContaining(says),
    });
  },
);
