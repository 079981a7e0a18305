import { describe, expect, test } from "vitest";
import {
  aCatalogSource,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  releaseImage,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { codesOf, index, plan, platform, ref } from "../../../../test/support/precache/precache-planning.ts";

describe("a Subscription of a catalog that no policy manages", () => {
  const of = (source: string | undefined, name = "sriov-fec") => {
    const subscription = aSubscription(name, "stable");
    return {
      ...subscription,
      spec: { name, channel: "stable", ...(source === undefined ? {} : { source }) },
    };
  };
  const elsewhere = of("certified-operators");
  const managed = aSubscription("ptp-operator", "stable");
  const managedPolicies = ["platform", "catalog", "operators"];
  const planned = (
    subscriptions: readonly ReturnType<typeof aSubscription>[],
    catalog = aCatalogSource(index),
  ) => [
    anUpgrade({ ...ref, managedPolicies }),
    platform,
    aPolicy("catalog", [catalog]),
    aPolicy("operators", subscriptions),
    aPreCachingConfig({}),
  ];

  test("When no other is left, the release should be pre-cached without the index", () => {
    const made = plan({ objects: planned([elsewhere]) });
    expect(made.spec).toMatchObject({
      platformImage: releaseImage,
      operatorsIndexes: [],
      operatorsPackagesAndChannels: [],
    });
    expect(codesOf(made)).toEqual(["warning CatalogNotManaged"]);
  });

  test("When others are managed, it should be left out with a warning", () => {
    const objects = planned([elsewhere, managed]);
    const made = plan({ objects });
    expect(made.spec).toMatchObject({
      platformImage: releaseImage,
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["ptp-operator:stable"],
    });
    expect(made.issues).toMatchObject([
      {
        code: "CatalogNotManaged",
        severity: "warning",
        object: { kind: "Policy", name: "operators" },
        path: "spec.policy-templates[0].objectDefinition.spec.object-templates[0].objectDefinition.spec.source",
        value: "certified-operators",
      },
    ]);
  });

  test.for([
    ["ptp.v4.20.1", "ptp-operator:stable:ptp.v4.20.1"],
    ["{{ .version }}", "ptp-operator:stable"],
    ["a:b", "ptp-operator:stable"],
  ] as const)(
    "When a Subscription has the startingCSV %s, it should be planned as %s",
    ([startingCSV, entry]) => {
      const pinned = { ...managed, spec: { ...Object(managed.spec), startingCSV } };
      const made = plan({ objects: planned([pinned]) });
      expect(made.spec.operatorsPackagesAndChannels).toEqual([entry]);
      expect(codesOf(made)).toEqual(startingCSV.includes("{{") ? [] : ["warning PinnedOperatorVersion"]);
    },
  );

  test("When the profile is hardened, only catalogs of the deployment's repositories should be pre-cached", () => {
    const other = { ...aCatalogSource("evil.example/index:v1"), metadata: { name: "other" } };
    const catalogs = aPolicy("catalog", [aCatalogSource(index), other]);
    const objects = planned([managed, of("other", "a")]).with(2, catalogs);
    const planWith = (indexRepositories: readonly string[], profile: "standard" | "hardened" = "hardened") =>
      plan({ objects, options: { profile, indexRepositories } });
    const [repository = ""] = index.split(/[:@]/);
    const some = planWith([repository]);
    expect(some.spec.operatorsIndexes).toEqual([index]);
    expect(some.spec.operatorsPackagesAndChannels).toEqual(["ptp-operator:stable"]);
    expect(codesOf(some)).toEqual(["warning IndexNotAllowed", "warning CatalogNotManaged"]);
    const none = planWith([]);
    expect(none.spec).toMatchObject({ platformImage: releaseImage, operatorsIndexes: [] });
    expect(none.issues).toContainEqual(
      expect.objectContaining({
        code: "IndexNotAllowed",
        object: expect.objectContaining({ kind: "Policy", name: "catalog" }),
        value: index,
        remedy: expect.stringContaining("HUBRELAY_INDEX_REPOSITORIES"),
      }),
    );
    expect(planWith([], "standard").spec.operatorsIndexes).toEqual([index, "evil.example/index:v1"]);
  });

  test.for([
    { what: "its source is a template", objects: planned([of("{{ .source }}"), managed]) },
    { what: "it has no source", objects: planned([of(undefined), managed]) },
    {
      what: "the name of a catalog is a template",
      objects: planned([elsewhere, managed], { ...aCatalogSource(index), metadata: { name: "{{ .name }}" } }),
    },
    {
      what: "a PreCachingConfig names the indexes",
      objects: [
        ...planned([elsewhere, managed]).slice(0, -1),
        aPreCachingConfig({ overrides: { operatorsIndexes: ["registry.example.com/both:v1"] } }),
      ],
    },
  ])("When $what, it should be planned: it may be in an index", ({ objects }) => {
    const made = plan({ objects });
    expect(made.spec.operatorsPackagesAndChannels).toEqual(["sriov-fec:stable", "ptp-operator:stable"]);
    expect(codesOf(made).filter((one) => one !== "warning OverrideDiffers")).toEqual([]);
  });
});

describe("an OperatorPolicy", () => {
  const operatorPolicy = (complianceType: string) => ({
    objectDefinition: {
      apiVersion: "policy.open-cluster-management.io/v1beta1",
      kind: "OperatorPolicy",
      metadata: { name: "ptp" },
      spec: {
        complianceType,
        subscription: {
          name: "ptp-operator",
          namespace: "openshift-ptp",
          channel: "stable",
          source: "redhat-operators",
        },
      },
    },
  });
  const planned = (complianceType: string) => [
    anUpgrade({ managedPolicies: ["platform", "catalog", "ptp"] }),
    platform,
    aPolicy("catalog", [aCatalogSource(index)]),
    aPolicy("ptp", [], undefined, { "policy-templates": [operatorPolicy(complianceType)] }),
  ];

  test("When it wants an operator, its subscription should be pre-cached", () => {
    const made = plan({ objects: planned("musthave") });
    expect([made.spec.operatorsPackagesAndChannels, codesOf(made)]).toEqual([["ptp-operator:stable"], []]);
  });

  test("When it wants no operator, none should be pre-cached", () => {
    expect(plan({ objects: planned("mustnothave") }).spec.operatorsPackagesAndChannels).toEqual([]);
  });
});

test.for([
  {
    choice: ['{{- if eq .ClusterName "sno1" }}', "{{- else }}", "{{- end }}"],
    codes: ["warning CatalogChosenOnCluster"],
  },
  { choice: ["", "", ""], codes: [] },
])(
  "When a raw template has $choice around its catalogs, the issues should be $codes",
  ({ choice, codes }) => {
    const catalog = (image: string) => `- complianceType: musthave
  objectDefinition:
    apiVersion: operators.coreos.com/v1alpha1
    kind: CatalogSource
    metadata: {name: redhat-operators, namespace: openshift-marketplace}
    spec: {image: "${image}"}
- complianceType: musthave
  objectDefinition:
    apiVersion: operators.coreos.com/v1alpha1
    kind: Subscription
    metadata: {name: ptp, namespace: openshift-ptp}
    spec: {name: ptp-operator, channel: stable, source: redhat-operators}
`;
    const [before, between, after] = choice;
    const raw = [before, catalog(index), between, catalog("registry.example.com/other:v4.20"), after].join(
      "\n",
    );
    const objects = [
      anUpgrade({ managedPolicies: ["platform", "raw"] }),
      platform,
      aPolicy("raw", [], undefined, { raw }),
    ];
    const made = plan({ objects });
    expect(codesOf(made)).toEqual(codes);
    expect(made.spec.operatorsIndexes).toEqual([index, "registry.example.com/other:v4.20"]);
  },
);

test.for([
  { policy: "AlwaysVerify", codes: ["warning PrecachedImagesVerified"] },
  { policy: "NeverVerifyAllowlistedImages", codes: ["warning PrecachedImagesVerified"] },
  { policy: "NeverVerifyPreloadedImages", codes: [] },
  { policy: undefined, codes: [] },
])("When kubelets verify pulled images by $policy, the issues should be $codes", ({ policy, codes }) => {
  const kubelet = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "KubeletConfig",
    metadata: { name: "verify" },
    spec: { kubeletConfig: { imagePullCredentialsVerificationPolicy: policy } },
  };
  const managedPolicies = ["platform", "kubelet"];
  const objects = [anUpgrade({ managedPolicies }), platform, aPolicy("kubelet", [kubelet])];
  expect(codesOf(plan({ objects }))).toEqual(codes);
});
