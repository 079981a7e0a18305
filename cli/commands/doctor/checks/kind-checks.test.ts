import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { kindsCheck } from "./kind-checks.ts";

const watches = {
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
    title: "lacks an optional kind",
    resources: { [config]: ["images"], [machines]: ["machineconfigs"] },
    state: "note",
    says: "2 of 3 kinds are served; not imagesourcetagpolicies of config.openshift.io/v1.",
  },
  {
    title: "is not OpenShift",
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

const precaching = {
  name: "precache-status",
  kinds: [kinds.ClusterGroupUpgrade, kinds.MaintenanceWindow],
  besides: [kinds.PreCachingReport, kinds.ManifestWork],
};
const upgrades = { [kinds.ClusterGroupUpgrade.apiVersion]: ["clustergroupupgrades"] };
const own = kinds.PreCachingReport.apiVersion;

test.for([
  {
    title: "serves none of the kinds",
    resources: {},
    state: "note",
    says: "0 of 2",
    remedy: "unless you want to use them",
  },
  {
    title: "serves the watched kinds and not the written ones",
    resources: upgrades,
    state: "problem",
    says: "but not precachingreports of hubrelay.dev/v1alpha1, manifestworks of work.open-cluster-management.io/v1",
    remedy: "which installs hubrelay's own kinds. Is this kubeconfig",
  },
  {
    title: "lacks a kind of another operator",
    resources: { ...upgrades, [own]: ["precachingreports"] },
    state: "problem",
    says: "but not manifestworks of work.open-cluster-management.io/v1",
    remedy: "install the operator",
  },
  {
    title: "lacks only the reports, which are hubrelay's own",
    resources: { ...upgrades, [kinds.ManifestWork.apiVersion]: ["manifestworks"] },
    state: "problem",
    says: "but not precachingreports of hubrelay.dev/v1alpha1, which it requires.",
    remedy: "kubectl apply -k infra/crds",
  },
  {
    title: "lacks an optional kind of hubrelay",
    resources: {
      ...upgrades,
      [own]: ["precachingreports"],
      [kinds.ManifestWork.apiVersion]: ["manifestworks"],
    },
    state: "note",
    says: "1 of 2 kinds are served; not maintenancewindows",
    remedy: "kubectl apply -k infra/crds",
  },
])("When a hub for pre-caching $title, it should report $state", ({ resources, state, says, remedy }) => {
  const served = {
    resources: new Map(Object.entries(resources).map(([version, plurals]) => [version, new Set(plurals)])),
    otherVersions: new Map(),
  };
  expect(kindsCheck(precaching, served)).toMatchObject({
    state,
    found: expect.stringContaining(says),
    remedy: expect.stringContaining(remedy),
  });
});

test.for(cases)(
  "When a hub $title, it should report $state",
  ({ resources, otherVersions = {}, state, says }) => {
    const served = {
      resources: new Map(Object.entries(resources).map(([version, plurals]) => [version, new Set(plurals)])),
      otherVersions: new Map(Object.entries(otherVersions)),
    };
    expect(kindsCheck(watches, served)).toMatchObject({
      name: "kinds of mirror-config",
      state,
      found: expect.stringContaining(says),
    });
  },
);
