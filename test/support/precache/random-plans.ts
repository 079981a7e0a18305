import fc from "fast-check";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import {
  aCatalogSource,
  aManagedCluster,
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
  copiesOf,
  digestOf,
} from "./precache-plan-objects.ts";

/*
 * Random hubs with one ClusterGroupUpgrade. Objects are such as an API server stores, since TALM never sees others; what
 * is inside a policy's templates can be anything.
 */

const often = <Value>(usual: Value, other: fc.Arbitrary<Value>, weight = 5): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const clusterNames = ["sno1", "sno2", "sno3"] as const;
const managedClusters = [
  aManagedCluster("sno1", { labels: { site: "a" } }),
  aManagedCluster("sno2", { labels: { site: "b", ring: "" } }),
  aManagedCluster("sno3", { labels: { site: "a", ring: "2" }, topology: "HighlyAvailable" }),
];
const cluster = fc.constantFrom(...clusterNames);
/** One of these names no cluster. */
const named = fc.oneof({ weight: 30, arbitrary: cluster }, { weight: 1, arbitrary: fc.constant("gone") });
const policyNames = ["first", "second", "third"] as const;

const image = fc.constantFrom(
  `quay.io/acme/release@${digestOf("1")}`,
  `quay.io/acme/release@${digestOf("2")}`,
);
const version = fc.constantFrom("4.20.3", "4.20.4", "4.99.0");
const oddText = fc.constantFrom<unknown>(
  "",
  "{{ fromConfigMap }}",
  "{{hub fromConfigMap hub}}",
  "placeholder",
  420,
  4.2,
  true,
  null,
);

/** The paths of a graph with two releases, and of a server that fails. */
const graphPaths = ["/graph", "/error"] as const;

const releaseSpec = (graphs: string): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const upstream = fc.constantFrom(...graphPaths.map((path) => `${graphs}${path}`));
  const channel = fc.constantFrom("stable-4.20", "eus-4.20");
  return fc.oneof(
    { weight: 4, arbitrary: image.map((one) => ({ desiredUpdate: { image: one } })) },
    {
      weight: 2,
      arbitrary: fc.record({
        upstream: often(`${graphs}/graph`, upstream),
        channel: often("stable-4.20", channel),
        desiredUpdate: fc.record({ version: often("4.20.3", version) }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          upstream: fc.oneof(upstream, oddText),
          channel: fc.oneof(channel, oddText),
          desiredUpdate: fc.record(
            { version: fc.oneof(version, oddText), image: fc.oneof(image, oddText) },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
    },
  );
};

type Fields = Readonly<Record<string, unknown>>;

const text = (value: string) => fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, oddText);
const withoutSpec = ({ spec: _spec, ...rest }: Fields): Fields => rest;

/** An object in a policy. */
const content = (graphs: string): fc.Arbitrary<Fields> =>
  fc.oneof(
    { weight: 12, arbitrary: releaseSpec(graphs).map((spec) => aWantedRelease(spec)) },
    {
      weight: 12,
      arbitrary: fc
        .constantFrom("registry.example.com/index:v1", "registry.example.com/index:v2")
        .map(aCatalogSource),
    },
    {
      weight: 12,
      arbitrary: fc
        .tuple(fc.constantFrom("ptp", "sriov"), fc.constantFrom("stable", "4.20"))
        .map(([name, channel]) => aSubscription(name, channel)),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        apiVersion: fc.constantFrom("apps.open-cluster-management.io/v1", "operators.coreos.com/v1alpha1"),
        kind: fc.constantFrom("Subscription", "CatalogSource", "ClusterVersion", "ConfigMap"),
        metadata: fc.record({ name: fc.constant("odd"), namespace: fc.constant("odd") }),
        spec: fc.record(
          { name: text("ptp"), channel: text("stable"), image: text("a/b") },
          { requiredKeys: [] },
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        withoutSpec(aCatalogSource("a/b")),
        withoutSpec(aSubscription("ptp", "stable")),
        withoutSpec(aWantedRelease()),
        { kind: "Subscription", metadata: { name: "ptp" }, spec: { name: "ptp" } },
        { ...aWantedRelease(), status: { version: "4.20.3" } },
      ),
    },
  );

/**
 * Raw templates, with and without a list in the end. None has a hub template or lacks an objectDefinition: release 4.17
 * refuses a policy with either, and hubrelay reads them as 4.18 and later do.
 */
const raw = fc.constantFrom(
  `{{ range $release := list "4.20.3" }}
- complianceType: musthave
  objectDefinition:
    apiVersion: config.openshift.io/v1
    kind: ClusterVersion
    metadata: { name: version }
    spec: { channel: "{{ .channel }}", desiredUpdate: { version: "{{ $release }}" } }
{{ end }}`,
  `- complianceType: musthave
  objectDefinition:
    apiVersion: operators.coreos.com/v1alpha1
    kind: CatalogSource
    metadata: { name: index, namespace: openshift-marketplace }
    spec: { image: 'registry.example.com/index:{{ fromClusterClaim "v" }}' }`,
  `- complianceType: musthave
  objectDefinition:
    apiVersion: operators.coreos.com/v1alpha1
    kind: Subscription
    metadata: { name: {{ $name }}, namespace: ptp }
    spec: { name: ptp, channel: stable }`,
  "{{ if true }}{{ end }}",
  "- [",
  "text",
);

const compliance = fc.record(
  {
    sno1: often<string | undefined>("NonCompliant", fc.constantFrom("Compliant", "Pending", undefined), 3),
    sno2: often<string | undefined>("NonCompliant", fc.constantFrom("Compliant", "Pending", undefined), 2),
    sno3: fc.constantFrom("NonCompliant", "Compliant"),
  },
  { requiredKeys: ["sno1", "sno2"] },
);
const everyoneComplies = fc.constant({ sno1: "Compliant", sno2: "Compliant", sno3: "Compliant" });

/** Replaces the first policy template's spec. */
function withTemplateSpec(policy: KubernetesObject, change: (spec: Fields) => Fields): KubernetesObject {
  const copy = structuredClone(policy);
  const { spec } = copy as unknown as {
    spec: Record<"policy-templates", { objectDefinition: { spec: Fields } }[]>;
  };
  const [first] = spec["policy-templates"];
  if (first) first.objectDefinition.spec = change(first.objectDefinition.spec);
  return copy;
}

type ItemOfPolicy = { complianceType?: string; objectDefinition?: unknown };

/** Changes to a policy that TALM notices. */
const oddities: readonly ((policy: KubernetesObject) => KubernetesObject)[] = [
  (policy) => withTemplateSpec(policy, ({ remediationAction }) => ({ remediationAction })),
  (policy) =>
    withTemplateSpec(policy, (spec) => ({
      ...spec,
      "object-templates-raw": "- objectDefinition: { kind: Odd }",
    })),
  (policy) =>
    withTemplateSpec(policy, (spec) => ({ ...spec, "object-templates": [{ complianceType: "musthave" }] })),
  (policy) =>
    withTemplateSpec(policy, (spec) => {
      const items = (spec["object-templates"] ?? []) as readonly ItemOfPolicy[];
      return {
        ...spec,
        "object-templates": items.map((item, index) =>
          index === 0 ? { ...item, complianceType: "mustnothave" } : item,
        ),
      };
    }),
  ({ status: _status, ...policy }) => policy,
];

const aRandomPolicy = (graphs: string, name: string): fc.Arbitrary<readonly KubernetesObject[]> =>
  fc
    .record({
      objects: fc.array(content(graphs), { minLength: 1, maxLength: 3 }),
      compliance: fc.oneof({ weight: 4, arbitrary: compliance }, { weight: 1, arbitrary: everyoneComplies }),
      raw: often<string | undefined>(undefined, raw, 9),
      remediationAction: often("inform", fc.constantFrom("enforce", "Enforce"), 15),
      namespace: fc.constant("policies"),
      dependency: often<string | undefined>(undefined, fc.constantFrom(...policyNames), 12),
      odd: often<number | undefined>(undefined, fc.nat({ max: oddities.length - 1 }), 20),
      bound: often<readonly string[]>(clusterNames, fc.subarray([...clusterNames]), 15),
      isTwice: often(false, fc.constant(true), 40),
      isGone: often(false, fc.constant(true), 30),
    })
    .map(
      ({
        objects,
        compliance: complies,
        raw: asText,
        dependency,
        odd,
        bound,
        isTwice,
        isGone,
        ...fields
      }) => {
        const dependencies = dependency && [
          {
            ...{ apiVersion: kinds.Policy.apiVersion, kind: "Policy", compliance: "Compliant" },
            name: dependency,
            namespace: "policies",
          },
        ];
        const spec = { ...fields, ...(dependencies ? { dependencies } : {}) };
        const plain = aPolicy(name, objects, complies, {
          ...spec,
          ...(asText === undefined ? {} : { raw: asText }),
        });
        const policy = odd === undefined ? plain : (oddities[odd]?.(plain) ?? plain);
        const elsewhere = { ...policy, metadata: { ...policy.metadata, namespace: "elsewhere" } };
        return [
          ...(isGone ? [] : [policy]),
          ...copiesOf(policy, bound),
          ...(isTwice ? [elsewhere, ...copiesOf(elsewhere, bound)] : []),
        ];
      },
    );

const space = fc.constantFrom(
  "",
  "45 GiB",
  "30Gi",
  "30",
  "38.5 GiB",
  "1e3 GB",
  "-10 GiB",
  "thirty",
  "50 GiB",
);
const list = (...values: readonly string[]) => fc.subarray([...values]);

const config = fc
  .record({
    overrides: fc.record(
      {
        platformImage: often("", image, 2),
        operatorsIndexes: often<readonly string[]>(["registry.example.com/own:v1"], list(" ")),
        operatorsPackagesAndChannels: list("sriov:4.20", "odd"),
        preCacheImage: fc.constantFrom("", "quay.io/acme/workload:1"),
      },
      { requiredKeys: [] },
    ),
    spaceRequired: space,
    excludePrecachePatterns: list("aws", '^"x', ""),
    additionalImages: list(`quay.io/acme/app@${digestOf("3")}`, "busybox"),
  })
  .map((spec) => aPreCachingConfig(spec));

const configMap = fc
  .record(
    {
      "platform.image": fc.constantFrom(
        "",
        `quay.io/acme/release@${digestOf("4")}`,
        ` quay.io/acme/release@${digestOf("4")} `,
      ),
      "operators.indexes": fc.constantFrom(
        "",
        "registry.example.com/map:v1\n\n  \nregistry.example.com/other:1",
      ),
      "operators.packagesAndChannels": fc.constantFrom("", "ptp:map\n", " \n"),
      excludePrecachePatterns: fc.constantFrom("", "vsphere\n"),
      "precache.spaceRequired": space,
    },
    { requiredKeys: [] },
  )
  .map(anOverridesConfigMap);

const labelSelector = fc.constantFrom<Fields>(
  { matchLabels: { site: "a" } },
  {},
  { matchExpressions: [{ key: "ring", operator: "Exists" }] },
  { matchExpressions: [{ key: "site", operator: "NotIn", values: ["a"] }] },
  { matchExpressions: [{ key: "site", operator: "In" }] },
  { matchExpressions: [{ key: "site", operator: "Near", values: ["a"] }] },
  { matchLabels: { "": "a" } },
);

const selection = fc.oneof(
  { weight: 6, arbitrary: fc.record({ clusters: fc.array(named, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        clusters: fc.array(cluster, { maxLength: 2 }),
        clusterSelector: fc.subarray(["site=a", "site=b", "ring", "a=b=c", ""]),
        clusterLabelSelectors: fc.array(labelSelector, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
);

const upgrade = fc
  .record({
    selection,
    // TALM starts a canary twice that is named twice, and fails at the second time.
    canaries: often<readonly string[]>([], fc.uniqueArray(cluster, { maxLength: 2 })),
    managedPolicies: fc.oneof(
      { weight: 6, arbitrary: fc.subarray([...policyNames], { minLength: 1 }) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...policyNames, "missing"), { maxLength: 3 }) },
    ),
    preCaching: often(true, fc.constant(false), 8),
    enable: some(fc.boolean()),
    reference: fc.constantFrom(
      undefined,
      undefined,
      { name: "config" },
      { name: "config", namespace: "ztp" },
      { name: "none" },
      { namespace: "ztp" },
    ),
  })
  .map(({ selection: selected, canaries, reference, enable, ...spec }) =>
    anUpgrade({
      clusters: undefined,
      ...selected,
      ...spec,
      enable,
      ...(reference ? { preCachingConfigRef: reference } : {}),
      remediationStrategy: { maxConcurrency: 10, timeout: 240, ...(canaries.length > 0 ? { canaries } : {}) },
    }),
  );

/** Hubs with one ClusterGroupUpgrade, whose update graphs are below the URL. */
export function randomPlanningHubs(graphs: string): fc.Arbitrary<readonly KubernetesObject[]> {
  return fc
    .record({
      upgrade,
      policies: fc.tuple(...policyNames.map((name) => aRandomPolicy(graphs, name))),
      config: some(config),
      configMap: some(configMap),
    })
    .map(({ upgrade: cgu, policies, config: settings, configMap: overrides }) =>
      // As on a hub: fields that are undefined do not exist.
      JSON.parse(
        JSON.stringify([
          cgu,
          ...managedClusters,
          ...policies.flat(),
          ...(settings ? [settings] : []),
          ...(overrides ? [overrides] : []),
        ]),
      ),
    );
}
