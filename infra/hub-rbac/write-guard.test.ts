import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/machine-config/node-file.ts";
import {
  aHostedCluster,
  handedOver,
  hostileChanges,
} from "../../test/support/hosted-clusters/hostile-changes.ts";
import { admissionPolicy } from "../../test/support/hub/admission-policy.ts";
import { hostileMachineConfigs, rendered } from "../../test/support/hub/hostile-machine-configs.ts";
import { anImageConfig, ownedByAnother } from "../../test/support/hub/objects.ts";

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

test("When the account of mirror-config gives a MachineConfig another owner than Image/cluster, it should be refused", async () => {
  const configs = await admissionPolicy("write-guard.yaml", "hubrelay-mirror-config-machine-configs");
  const files = [textFile(nodePaths.registriesConf, "")];
  const own = renderMachineConfig({ pool: "worker", files, image: anImageConfig() });
  expect(own.metadata.ownerReferences).toHaveLength(1);
  const request = { account: "hubrelay-mirror-config" };
  expect(configs.responseTo({ ...request, after: own })).toBe("admitted");
  const refusal = "no owner but Image/cluster";
  expect(configs.responseTo({ ...request, after: ownedByAnother(own) })).toContain(refusal);
  for (const before of [own, ownedByAnother(own)]) {
    expect(configs.responseTo({ ...request, before, after: own })).toBe("admitted");
    expect(configs.responseTo({ ...request, before, after: ownedByAnother(own) })).toContain(refusal);
  }
  const held = { ...own, metadata: { ...own.metadata, finalizers: ["example.com/held"] } };
  expect(configs.responseTo({ ...request, before: held, after: held })).toBe("admitted");
  expect(configs.responseTo({ ...request, before: held, after: own })).toContain("no finalizers");
  expect(configs.responseTo({ ...request, before: own, after: held })).toContain("no finalizers");
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

test("When the account of hosted-clusters gives a HostedCluster an owner, it should be refused", async () => {
  const fields = await admissionPolicy("write-guard.yaml", "hubrelay-hosted-clusters-fields");
  const before = {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { namespace: "clusters", name: "shop" },
    spec: {},
  };
  const request = { account: "hubrelay-hosted-clusters", before };
  expect(fields.responseTo({ ...request, after: before })).toBe("admitted");
  expect(fields.responseTo({ ...request, after: ownedByAnother(before) })).toContain("no ownerReferences");
});
