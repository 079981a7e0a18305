import { expect, test } from "vitest";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../../test/support/precache/precache-plan-objects.ts";
import { coverageLines } from "../issues/coverage.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { PrecacheSizes } from "../precache-model/precache-plan.ts";
import { planCoverage } from "./plan-coverage.ts";
import { planInputsOf } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";

const cgu = anUpgrade({ preCachingConfigRef: { name: "config" } });
const policy = aPolicy("platform", [aWantedRelease()]);
const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2")];
const objects = [cgu, policy, aPolicy("other", []), aPreCachingConfig({}), ...clusters];

/** A policy as it is in a repository. */
const inFiles = ({ status: _, metadata: { uid: _uid, ...metadata }, ...policy }: KubernetesObject) => ({
  ...policy,
  metadata,
});

function coverageOf(given: readonly KubernetesObject[], hubVersion?: string, sizes?: PrecacheSizes) {
  const [input] = planInputsOf(given, hubVersion);
  if (!input) throw new Error("there is no ClusterGroupUpgrade");
  const { plan } = planPrecache({ ...input, lookup: () => ({ ok: false, message: "" }) });
  return planCoverage(sizes ? { ...plan, sizes } : plan, input, []);
}

test("When all that a plan depends on is known, its coverage should be complete", () => {
  expect(coverageOf(objects, "4.20")).toEqual({
    complete: true,
    read: [
      { what: "ClusterGroupUpgrade", count: 1 },
      { what: "ManagedCluster", count: 2 },
      { what: "Policy", count: 1 },
      { what: "PreCachingConfig", count: 1 },
    ],
    unread: [],
    assumed: [],
  });
});

const catalog = (image: string) => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "CatalogSource",
  metadata: { name: "a" },
  spec: { image },
});

test.for<{ what: string; given: readonly KubernetesObject[]; hubVersion?: string; lines: readonly string[] }>(
  [
    {
      what: "the version of a cluster is not known",
      given: [cgu, policy, aManagedCluster("sno1", { version: "" }), aManagedCluster("sno2")],
      lines: ["Not read: version of clusters of ClusterGroupUpgrade/ztp/upgrade: not checked."],
    },
    {
      what: "the hub's version is not known",
      given: objects,
      hubVersion: "",
      lines: [
        "Not read: distance from the hub's version of clusters of ClusterGroupUpgrade/ztp/upgrade: not checked.",
      ],
    },
    {
      what: "a policy cannot be read",
      given: [cgu, aPolicy("platform", [], undefined, { "policy-templates": 1 }), ...clusters],
      lines: ["Not read: Policy/policies/platform: cannot be read."],
    },
    {
      what: "a template decides about a catalog",
      given: [
        cgu,
        aPolicy("platform", [aWantedRelease(), catalog('{{ fromConfigMap "a" "b" "c" }}')]),
        ...clusters,
      ],
      lines: ["Not read: Policy/policies/platform: a template decides it."],
    },
    {
      what: "a policy has no status",
      given: [cgu, inFiles(policy), ...clusters],
      lines: ["Assumed: no cluster complies with platform yet."],
    },
  ],
)("When $what, the coverage should have it", ({ given, hubVersion = "4.20", lines }) => {
  expect(coverageLines(coverageOf([...given, aPreCachingConfig({})], hubVersion))).toEqual(lines);
});

test("When sizes were asked for, those that are not known should be unread; without, they should not be mentioned", () => {
  const sizes: PrecacheSizes = {
    clusters: [{ name: "sno1", architecture: "amd64", totalBytes: 1, missingBytes: 1, site: null }],
    sites: [],
    notCounted: [{ name: "quay.io/a/index:v1", reason: "" }],
  };
  expect(coverageLines(coverageOf(objects, "4.20", sizes))).toEqual([
    "Not read: quay.io/a/index:v1: not checked.",
    "Assumed: architecture amd64.",
  ]);
});
