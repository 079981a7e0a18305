import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { fieldsOf } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import {
  aHostedCluster,
  handedOver,
  hostileChanges,
} from "../../test/support/hosted-clusters/hostile-changes.ts";
import { admissionPolicy } from "../../test/support/hub/admission-policy.ts";
import { hostileMachineConfigs, rendered } from "../../test/support/hub/hostile-machine-configs.ts";
import { ownWork } from "../../test/support/precache/hostile-works.ts";
import { anUpgrade } from "../../test/support/precache/precache-plan-objects.ts";

/* The policies as they are written; test/cluster has the same rows on a real API server. */

describe("the policy for MachineConfigs", async () => {
  const configs = await admissionPolicy("write-guard.yaml", "hubrelay-mirror-config-machine-configs");
  const account = "hubrelay-mirror-config";

  test("When it is what the function writes, it should be admitted", () => {
    expect(configs.responseTo({ account, after: rendered("master") })).toBe("admitted");
  });

  test.for(hostileMachineConfigs)("$name", ({ object, says }) => {
    expect(configs.responseTo({ account, after: object })).toContain(says);
  });
});

test("When an Event belongs to another program, mirror-config should neither change nor remove it", async () => {
  const events = await admissionPolicy("write-guard.yaml", "hubrelay-mirror-config-events");
  const account = "hubrelay-mirror-config";
  const eventOf = (labels: Readonly<Record<string, string>>): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default", labels },
  });
  const own = eventOf({ "hubrelay.dev/function": "mirror-config" });
  const theirs = eventOf({ app: "other" });
  const refusal = "its own Events only";
  expect(events.responseTo({ account, before: own, after: own })).toBe("admitted");
  expect(events.responseTo({ account, before: theirs })).toContain(refusal);
  expect(events.responseTo({ account, before: theirs, after: own })).toContain(refusal);
  expect(events.responseTo({ account, before: own, after: theirs })).toContain(refusal);
});

describe("the policy for HostedClusters", async () => {
  const fields = await admissionPolicy("write-guard.yaml", "hubrelay-hosted-clusters-fields");
  const account = "hubrelay-hosted-clusters";
  const clusters = { given: aHostedCluster("given", handedOver), kept: aHostedCluster("kept", {}) };

  test.for(hostileChanges)("$name", ({ change, says }) => {
    const after = change(clusters);
    const before = after.metadata.name === "given" ? clusters.given : clusters.kept;
    expect(fields.responseTo({ account, before, after })).toContain(says);
  });
});

test.for(["clusters", "managedPolicies", "remediationStrategy"])(
  "When planning changes %s of the rollout, it should be refused",
  async (field) => {
    const upgrades = await admissionPolicy("write-guard-upgrades.yaml", "hubrelay-precache-upgrades");
    const before = anUpgrade();
    const account = "hubrelay-precache-plan";
    expect(upgrades.responseTo({ account, before, after: before })).toBe("admitted");
    const after = { ...before, spec: { ...fieldsOf(before.spec), [field]: ["other"] } };
    expect(upgrades.responseTo({ account, before, after })).toContain(
      "no field of a ClusterGroupUpgrade but enable",
    );
  },
);

test("When a work belongs to another program, pre-caching should neither change nor remove it", async () => {
  const works = await admissionPolicy("write-guard-precaching.yaml", "hubrelay-precache-works");
  const theirs = {
    ...ownWork,
    metadata: { namespace: ownWork.metadata.namespace ?? "", name: "precache-like" },
  };
  const refusal = "its own ManifestWorks only";
  expect(works.responseTo({ account: "hubrelay-precache-status", before: theirs })).toContain(refusal);
  const taken = { ...theirs, metadata: { ...theirs.metadata, labels: ownWork.metadata.labels ?? {} } };
  expect(works.responseTo({ account: "hubrelay-precache-cluster", before: theirs, after: taken })).toContain(
    refusal,
  );
});

test("When the settings are missing, no work of hubrelay should be admitted", async () => {
  const text = await readFile(packageFile("infra/hub-rbac/write-guard-precaching.yaml"), "utf8");
  const bindings = parseAllDocuments(text)
    .map((document) => fieldsOf(document.toJS()))
    .filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding")
    .flatMap(({ spec }) => fieldsOf(spec).paramRef ?? []);
  expect(bindings).toEqual([expect.objectContaining({ parameterNotFoundAction: "Deny" })]);
});
