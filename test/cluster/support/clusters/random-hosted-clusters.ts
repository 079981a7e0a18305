import fc from "fast-check";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A HostedCluster to create, or one that replaces another. */
export type WriteCase = Readonly<{ stored: KubernetesObject | undefined; object: KubernetesObject }>;

/** Values of a field: those that an API server usually accepts, and those that it refuses. */
type Values = Readonly<{ good: fc.Arbitrary<unknown>; bad: fc.Arbitrary<unknown> }>;

const oneOf = (...values: readonly unknown[]) => fc.constantFrom(...values);

const capabilityName = oneOf(
  ..."ImageRegistry openshift-samples Insights baremetal Console NodeTuning Ingress".split(" "),
);
const capabilityLists = fc.record(
  {
    enabled: fc.array(capabilityName, { maxLength: 2 }),
    disabled: fc.array(capabilityName, { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const location = oneOf("quay.io", "quay.io/a", "m.lab:5000/x", "n.lab", "", "not a registry");

/** The fields that hubrelay has rules for. It leaves limits of lengths to the API server. */
const ownFields: Readonly<Record<string, Values>> = {
  capabilities: {
    good: fc.oneof(
      capabilityLists,
      oneOf(
        { disabled: ["ImageRegistry"] },
        { disabled: ["Console", "Ingress"] },
        { disabled: ["Ingress", "Console"] },
        {},
      ),
    ),
    bad: oneOf(
      null,
      [],
      "all",
      { disabledCapabilities: ["Console"] },
      { disabled: ["Ingress"] },
      { disabled: ["marketplace"] },
      { enabled: ["imageregistry", ""] },
      { enabled: [7, null] },
      { disabled: ['a"b\\ü'] },
      { disabled: null },
      { enabled: "Console", disabled: { a: 1 } },
      { enabled: ["Console"], disabled: ["Insights", "Console"] },
    ),
  },
  imageContentSources: {
    good: fc.array(
      fc.record(
        { source: location, mirrors: fc.uniqueArray(location, { maxLength: 4 }), policy: fc.constant("x") },
        { requiredKeys: ["source"] },
      ),
      { maxLength: 3 },
    ),
    bad: oneOf(
      null,
      {},
      ["quay.io"],
      [{ mirrors: ["m.lab"] }],
      [{ source: null }],
      [{ source: 5, mirrors: null }],
      [{ source: "a.io", mirrors: "m.lab" }],
      [{ source: "a.io", mirrors: ["m.lab", "n.lab", "m.lab"] }],
      [{ source: "a.io", mirrors: [{ a: 1 }, { a: 1 }, 5, 5, null] }],
    ),
  },
  pausedUntil: {
    good: oneOf(
      "true",
      "False",
      "2026-12-01T00:00:00",
      "2026-12-01T00:00:00Z",
      "2026-99-99T99:99:99 o'clock",
    ),
    bad: oneOf("2026-12-01T00:00:00\nZ", "TRUE", "2026-12-01", true, null),
  },
  olmCatalogPlacement: { good: oneOf("management", "guest"), bad: oneOf("Guest", "", 1, null, ["guest"]) },
  configuration: {
    good: oneOf({ operatorhub: { disableAllDefaultSources: true } }, { operatorhub: {} }, {}),
    bad: oneOf({ operatorhub: { disableAllDefaultSources: "yes" } }, { operatorhub: [] }, null, "none"),
  },
};

const service = (name: string, type: string, more: Fields = {}): Fields => ({
  service: name,
  servicePublishingStrategy: { type, ...more },
});
const fourServices = ["APIServer", "OAuthServer", "Konnectivity", "Ignition"].map((name) =>
  service(name, "Route"),
);

const volume = (more: Fields = {}): Fields => ({
  managementType: "Managed",
  managed: { storage: { type: "PersistentVolume", ...more } },
});

const least: Fields = {
  release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" },
  pullSecret: { name: "pull" },
  platform: { type: "None" },
  networking: { clusterNetwork: [{ cidr: "10.1.0.0/16" }], serviceNetwork: [{ cidr: "10.2.0.0/16" }] },
  etcd: volume(),
  services: fourServices,
};

/** A HostedCluster with only the fields that the API server requires, and these. */
export function hostedCluster(fields: Fields): KubernetesObject {
  return {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { name: "shop", namespace: "default" },
    spec: { ...least, ...fields },
  };
}

function writes(fields: Readonly<Record<string, Values>>): fc.Arbitrary<WriteCase> {
  const some = (pick: (values: Values) => fc.Arbitrary<unknown>, maxLength: number) =>
    fc
      .subarray(Object.entries(fields), { maxLength })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map(([name, values]) => [name, pick(values)]))));
  const good = some((values) => values.good, 4);
  const changed = fc.oneof(
    good,
    some((values) => fc.oneof(values.good, values.bad), 3),
  );
  return fc.tuple(good, changed, oneOf("create", "replace", "change", "change")).map(([old, now, how]) => ({
    stored: how === "create" ? undefined : hostedCluster(old),
    object: hostedCluster(how === "change" ? { ...old, ...now } : now),
  }));
}

/** Generates writes of fields that hubrelay has rules for. */
export const ownWrites = writes(ownFields);
