import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { guardCheck, guardParameter } from "./guard-check.ts";

const namespace = "hubrelay";
const binding: KubernetesObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "hubrelay-precache-image" },
  spec: { paramRef: { name: "hubrelay-settings-7f", namespace, parameterNotFoundAction: "Deny" } },
};
const settings = (data: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name: "hubrelay-settings-7f" },
  data,
});
const pinned = `registry.lab:8443/hubrelay/workload@sha256:${"a".repeat(64)}`;
const hardened = { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: pinned };

test("When the policy has a parameter, the check should read that ConfigMap", () => {
  expect(guardParameter(binding)).toEqual({ name: "hubrelay-settings-7f", namespace });
  expect(guardParameter(undefined)).toBeUndefined();
});

test.for([
  {
    what: "the policy is not there",
    guard: undefined,
    configMap: undefined,
    state: "note",
    says: /no admission policy/,
    fix: /kubectl apply -k .*infra\/hub-rbac/,
  },
  {
    what: "its parameter is not there",
    guard: binding,
    configMap: undefined,
    state: "problem",
    says: /ConfigMap hubrelay\/hubrelay-settings-7f, which does not exist: no ManifestWork/,
    fix: /create configmap hubrelay-settings-7f/,
  },
  {
    what: "no image is set",
    guard: binding,
    configMap: settings({ HUBRELAY_WORKLOAD_IMAGE: "" }),
    state: "note",
    says: /HUBRELAY_WORKLOAD_IMAGE is not set.*pre-caches nothing/,
    fix: /build infra\/precache-workload.*is not to pre-cache/,
  },
  {
    what: "a hardened image has a tag only",
    guard: binding,
    configMap: settings({ ...hardened, HUBRELAY_WORKLOAD_IMAGE: "registry.lab/w:1" }),
    state: "problem",
    says: /has no digest/,
    fix: /REGISTRY\/REPOSITORY@sha256:DIGEST/,
  },
  {
    what: "the profile is misspelt",
    guard: binding,
    configMap: settings({ ...hardened, HUBRELAY_PRECACHE_PROFILE: "Hardened" }),
    state: "problem",
    says: /is not a profile/,
    fix: /correct it/,
  },
  {
    what: "no catalog is allowed",
    guard: binding,
    configMap: settings(hardened),
    state: "note",
    says: /HUBRELAY_INDEX_REPOSITORIES is empty: no catalog/,
    fix: /Name the repositories/,
  },
  {
    what: "all is set",
    guard: binding,
    configMap: settings({ ...hardened, HUBRELAY_INDEX_REPOSITORIES: "registry.lab/olm/index" }),
    state: "ok",
    says: /read catalogs of registry.lab\/olm\/index/,
    fix: undefined,
  },
  {
    what: "the profile is standard",
    guard: binding,
    configMap: settings({ HUBRELAY_WORKLOAD_IMAGE: "registry.lab/w:1" }),
    state: "ok",
    says: /any image/,
    fix: undefined,
  },
])("When $what, it should be a $state", ({ guard, configMap, state, says, fix }) => {
  const check = guardCheck(guard, configMap);
  expect(check.state).toBe(state);
  expect(check.found).toMatch(says);
  if (fix) expect(check.remedy).toMatch(fix);
  else expect(check.remedy).toBeUndefined();
});
