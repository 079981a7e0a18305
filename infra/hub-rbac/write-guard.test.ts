import { describe, expect, test } from "vitest";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { reportFields } from "#shared/domain/precache-model/precaching-report.ts";
import { readinessFields } from "#shared/domain/ready/record/readiness-report.ts";
import { windowDefinition } from "#shared/domain/windows/window-definition.ts";
import { hostileChanges } from "../../test/support/hosted-clusters/hostile-changes.ts";
import { writeGuard } from "../../test/support/hub/admission-policy.ts";
import { hostileMachineConfigs, rendered } from "../../test/support/hub/hostile-machine-configs.ts";
import { anImageConfig, ownedByAnother } from "../../test/support/hub/objects.ts";
import { anUpgrade } from "../../test/support/precache/precache-plan-objects.ts";

/* The policies as they are written; test/cluster has every path of the schemas, on a real API server. */

const { responseTo } = await writeGuard();
const notAField = "may not write such a field";

describe("a MachineConfig of mirror-config", () => {
  const account = "hubrelay-mirror-config";

  test("When it is what the function writes, it should be admitted", () => {
    expect(responseTo({ account, after: rendered("master") })).toBe("admitted");
  });

  test.for(hostileMachineConfigs)("$name", ({ given, says }) => {
    expect(responseTo({ account, after: given })).toContain(says);
  });

  test("When it gets another owner than Image/cluster, it should be refused", () => {
    const files = [textFile(nodePaths.registriesConf, "")];
    const own = renderMachineConfig({ pool: "worker", files, image: anImageConfig() });
    const theirs = ownedByAnother(own);
    expect(own.metadata.ownerReferences).toHaveLength(1);
    expect(responseTo({ account, after: own })).toBe("admitted");
    expect(responseTo({ account, after: theirs })).toContain("no owner but an Image");
    expect(responseTo({ account, before: own, after: theirs })).toContain("no owner but an Image");
    for (const after of [own, theirs])
      expect(responseTo({ account, before: theirs, after })).toBe("admitted");
  });

  test("When machine-config-operator has written the same content in its form, it should be admitted", () => {
    const { spec, ...own } = rendered("worker");
    const { config } = fieldsOf(spec);
    const before = { ...own, spec: { config: { ...fieldsOf(config), passwd: {} } } };
    const metadata = { ...own.metadata, annotations: { "hubrelay.dev/owned-by": "mirror-config" } };
    expect(responseTo({ account, before, after: { ...before, metadata } })).toBe("admitted");
    expect(responseTo({ account, after: before })).toContain("nothing else of a node");
  });
});

test("When an Event belongs to another program or function, it should be neither changed nor removed", () => {
  const account = "hubrelay-mirror-config";
  const eventOf = (labels: Readonly<Record<string, string>>): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default", labels },
  });
  const own = eventOf({ "hubrelay.dev/function": "mirror-config" });
  expect(responseTo({ account, before: own, after: own })).toBe("admitted");
  expect(responseTo({ account, before: own })).toBe("admitted");
  for (const theirs of [eventOf({ app: "other" }), eventOf({ "hubrelay.dev/function": "precache-plan" })])
    expect(responseTo({ account, before: theirs })).toContain("its own Events only");
});

describe("a HostedCluster", () => {
  const account = "hubrelay-hosted-clusters";

  test.for(hostileChanges)("$name", ({ given, says }) => {
    expect(responseTo({ account, ...given })).toContain(says);
  });
});

describe("a ClusterGroupUpgrade", () => {
  const account = "hubrelay-precache-plan";

  test.for(["clusters", "managedPolicies", "remediationStrategy"])(
    "When planning changes %s of the rollout, it should be refused",
    (field) => {
      const before = anUpgrade();
      expect(responseTo({ account, before, after: before })).toBe("admitted");
      const after = { ...before, spec: { ...fieldsOf(before.spec), [field]: ["other"] } };
      expect(responseTo({ account, before, after })).toContain(notAField);
    },
  );

  // The Topology Aware Lifecycle Manager acts on these with its own rights.
  test.for([
    "backup",
    "clusters",
    "managedPoliciesForUpgrade",
    "remediationPlan",
    "safeResourceNames",
    "status",
  ])("When planning writes status.%s, it should be refused", (field) => {
    const before = anUpgrade();
    const after = { ...before, status: { [field]: ["sno9"] } };
    expect(responseTo({ account, before, after, ofStatus: true })).toContain(notAField);
  });

  test("When an account of pre-caching gives it an owner, it should be refused", () => {
    const before = anUpgrade();
    for (const name of [account, "hubrelay-precache-status"])
      expect(responseTo({ account: name, before, after: ownedByAnother(before) })).toContain(notAField);
  });

  const done = [{ type: "PrecachingSuceeded", status: "True" }];
  const requested = { "hubrelay.dev/enable-after-precaching": "now" };
  test.for([
    { what: "requests it after pre-caching, which is done", response: "admitted" },
    { what: "requests nothing", annotations: {}, response: "only enables a rollout" },
    { what: "is not pre-cached", conditions: [], response: "only enables a rollout" },
    {
      what: "is enabled, which planning disables",
      from: true,
      to: false,
      response: "only enables a rollout",
    },
  ])(
    "When planning enables a rollout that $what, the response should be $response",
    ({ annotations = requested, conditions = done, from = false, to = true, response }) => {
      const upgrade = { ...anUpgrade({}, { annotations }), status: { conditions } };
      const enabled = (enable: boolean) => ({
        ...upgrade,
        spec: { ...fieldsOf(upgrade.spec), enable },
      });
      expect(responseTo({ account, before: enabled(from), after: enabled(to) })).toContain(response);
    },
  );

  const withConditions = (...types: readonly string[]): KubernetesObject => ({
    ...anUpgrade(),
    status: { conditions: types.map((type) => ({ type, status: "True", reason: "R", message: "" })) },
  });
  test.for([
    { type: "Validated", by: "precache-plan" },
    { type: "PrecachingSuceeded", by: "precache-status" },
    { type: "PrecacheImagesReady", by: "precache-status" },
    { type: "Succeeded", by: "nobody" },
  ])("When its condition $type is written, only $by should be admitted", ({ type, by }) => {
    const before = withConditions("Progressing");
    const after = withConditions("Progressing", type);
    for (const name of ["precache-plan", "precache-status"])
      for (const request of [
        { before, after },
        { before: after, after: before },
      ])
        expect(responseTo({ account: `hubrelay-${name}`, ...request, ofStatus: true }), name).toContain(
          name === by ? "admitted" : "may not write such a condition",
        );
  });
});

test("When a forwarder creates another Lease than its own, it should be refused", () => {
  const leaseOf = (name: string) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "hubrelay" },
    spec: { holderIdentity: "a" },
  });
  const account = "hubrelay-forwarder";
  expect(responseTo({ account, after: leaseOf("hubrelay-forwarder") })).toBe("admitted");
  expect(responseTo({ account, after: leaseOf("cluster-autoscaler") })).toContain("have one Lease");
});

const fieldsIn = ({ definition }: Readonly<{ definition: unknown }>): readonly string[] =>
  Object.keys(fieldsOf(fieldsOf(definition).properties));

test.for([
  ...fieldsIn(reportFields).map((field) => ({
    account: "precache-status",
    kind: kinds.PreCachingReport,
    field,
  })),
  ...fieldsIn(readinessFields).map((field) => ({
    account: "precache-ready",
    kind: kinds.ReadinessReport,
    field,
  })),
])(
  "When $account writes the field $field of its own kind, it should be admitted",
  ({ account, kind, field }) => {
    const { apiVersion, kind: name } = kind;
    const before = { apiVersion, kind: name, metadata: { name: "upgrade", namespace: "fleet" } };
    const after = { ...before, [field]: "written" };
    for (const request of [{ after }, { before, after }])
      expect(responseTo({ account: `hubrelay-${account}`, ...request })).toBe("admitted");
  },
);

test("When maintenance-window writes the fields of a status, they should be admitted", () => {
  const { status } = fieldsOf(fieldsOf(windowDefinition.fields.definition).properties);
  const fields = fieldsIn({ definition: status }).filter((field) => field !== "conditions");
  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const before = { apiVersion, kind, metadata: { name: "nights", namespace: "fleet" } };
  const after = { ...before, status: Object.fromEntries(fields.map((field) => [field, "written"])) };
  expect(fields.length).toBeGreaterThan(5);
  expect(responseTo({ account: "hubrelay-maintenance-window", before, after, ofStatus: true })).toBe(
    "admitted",
  );
});
