import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
  releaseImage,
} from "../../../../test/support/precache-plan-objects.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { planAll } from "./plan-all.ts";
import { type PlanOptions, planInputsOf } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";
import { type GraphAnswer, unasked } from "./update-graph.ts";

const ref = { preCachingConfigRef: { name: "config" } };
const userImage = `quay.io/acme/app@${digestOf("1")}`;
const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2")];
const platform = aPolicy("platform", [aWantedRelease()]);
const index = "registry.example.com/redhat-operators:v4.20";
const operators = aPolicy("operators", [
  aCatalogSource(index),
  aSubscription("ptp-operator", "stable"),
  aSubscription("sriov-network-operator", "stable"),
]);

type Given = Readonly<{
  objects: readonly KubernetesObject[];
  options?: PlanOptions;
  graph?: GraphAnswer;
  hubVersion?: string;
}>;

/** Plans the first ClusterGroupUpgrade; with `compat` the policies have their copies, as on a hub. */
function plan({ objects, options = {}, graph = unasked, hubVersion = "4.20.3" }: Given) {
  const policies = objects.filter(({ kind }) => kind === "Policy");
  const copies = policies.flatMap((policy) => copiesOf(policy, ["sno1", "sno2"]));
  const [input] = planInputsOf([...clusters, ...objects, ...copies], hubVersion);
  if (!input) throw new Error("no ClusterGroupUpgrade was given");
  return planPrecache({ ...input, lookup: () => graph }, options).plan;
}

const lastOf = ({ conditions }: ReturnType<typeof plan>) => {
  const { type, status, reason, message } = conditions.at(-1) ?? {};
  return [type, status, reason, message];
};
const codesOf = ({ issues }: ReturnType<typeof plan>) =>
  issues.map(({ code, severity }) => `${severity} ${code}`);
const actionsOf = ({ clusters: planned }: ReturnType<typeof plan>) =>
  Object.fromEntries(planned.map(({ name, action }) => [name, action]));

describe("a plan that can be made", () => {
  test("When policies ask for a release and operators, it should have all of them and every condition", () => {
    const made = plan({
      objects: [anUpgrade({ managedPolicies: ["platform", "operators"] }), platform, operators],
    });
    expect(made).toEqual({
      namespace: "ztp",
      name: "upgrade",
      spec: {
        platformImage: releaseImage,
        operatorsIndexes: [index],
        operatorsPackagesAndChannels: ["ptp-operator:stable", "sriov-network-operator:stable"],
        excludePrecachePatterns: [],
        additionalImages: [],
        spaceRequired: "35",
      },
      conditions: [
        {
          type: "ClustersSelected",
          status: "True",
          reason: "ClusterSelectionCompleted",
          message: "All selected clusters are valid",
        },
        { type: "Validated", status: "True", reason: "ValidationCompleted", message: "Completed validation" },
        {
          type: "PrecacheSpecValid",
          status: "True",
          reason: "PrecacheSpecIsWellFormed",
          message: "Precaching spec is valid and consistent",
        },
        {
          type: "PrecachingSuceeded",
          status: "False",
          reason: "InProgress",
          message: "Precaching is required and not done",
        },
      ],
      clusters: [
        { name: "sno1", action: "precache", reason: "It does not comply with policy platform." },
        { name: "sno2", action: "precache", reason: "It does not comply with policy platform." },
      ],
      issues: [],
    });
  });

  test("When a policy is met already, its operators should be pre-cached, after those that are not", () => {
    const met = aPolicy("operators", [aCatalogSource(index), aSubscription("ptp-operator", "stable")], {
      sno1: "Compliant",
      sno2: "Compliant",
    });
    const objects = [anUpgrade({ managedPolicies: ["operators", "platform"] }), met, platform];
    expect(plan({ objects }).spec).toMatchObject({ platformImage: releaseImage, operatorsIndexes: [index] });
  });

  test("When only one cluster does not comply, it should be the only one", () => {
    const policy = aPolicy("platform", [aWantedRelease()], { sno1: "Compliant", sno2: "Pending" });
    expect(actionsOf(plan({ objects: [anUpgrade(), policy] }))).toEqual({
      sno1: "leave out",
      sno2: "precache",
    });
  });

  test("When a policy has no status yet, its clusters should count as not complying", () => {
    const { status: _none, ...policy } = platform;
    expect(actionsOf(plan({ objects: [anUpgrade(), policy] }))).toEqual({
      sno1: "precache",
      sno2: "precache",
    });
  });

  test("When all comply, no condition of pre-caching should appear", () => {
    const policy = aPolicy("platform", [aWantedRelease()], { sno1: "Compliant", sno2: "Compliant" });
    for (const options of [{}, { compat: "talm" as const }]) {
      const made = plan({ objects: [anUpgrade(), policy], options });
      expect(made.conditions.map(({ type }) => type)).toEqual(["ClustersSelected", "Validated"]);
      expect(actionsOf(made)).toEqual({ sno1: "leave out", sno2: "leave out" });
    }
  });

  test("When canaries are named, they should come first", () => {
    const cgu = anUpgrade({ remediationStrategy: { maxConcurrency: 1, canaries: ["sno2"] } });
    expect(plan({ objects: [cgu, platform] }).clusters.map(({ name }) => name)).toEqual(["sno2", "sno1"]);
  });

  test("When pre-caching is not asked for, nothing should be pre-cached", () => {
    const made = plan({ objects: [anUpgrade({ preCaching: false }), platform] });
    expect(made.conditions.map(({ type }) => type)).toEqual(["ClustersSelected", "Validated"]);
    expect(actionsOf(made)).toEqual({ sno1: "leave out", sno2: "leave out" });
  });

  test("When the annotation asks for it beside TALM, it should be planned; TALM knows its own field alone", () => {
    const annotations = { "hubrelay.dev/precaching": "true" };
    const objects = [platform, anUpgrade({ preCaching: false }, { annotations })];
    expect(actionsOf(plan({ objects }))).toEqual({ sno1: "precache", sno2: "precache" });
    expect(actionsOf(plan({ objects, options: { compat: "talm" } }))).toEqual({
      sno1: "leave out",
      sno2: "leave out",
    });
  });

  test("When the rollout is one of ManifestWorks, every cluster should be pre-cached", () => {
    const cgu = anUpgrade({ ...ref, managedPolicies: [], manifestWorkTemplates: ["app"] });
    const config = aPreCachingConfig({ overrides: { platformImage: releaseImage } });
    for (const options of [{}, { compat: "talm" as const }])
      expect(actionsOf(plan({ objects: [cgu, config], options }))).toEqual({
        sno1: "precache",
        sno2: "precache",
      });
  });
});

describe("which clusters", () => {
  const select = (spec: Readonly<Record<string, unknown>>, more: readonly KubernetesObject[] = []) =>
    plan({ objects: [anUpgrade({ clusters: undefined, managedPolicies: [], ...spec }), ...more] });
  const labelled = [
    aManagedCluster("sno9", { labels: { site: "a", ring: "" } }),
    aManagedCluster("sno5", { labels: { site: "b" } }),
  ];

  test.for([
    { what: "names, one twice", spec: { clusters: ["sno2", "sno1", "sno2"] }, names: ["sno2", "sno1"] },
    { what: "an empty list", spec: { clusters: [] }, names: [] },
    {
      what: "names, then a selector",
      spec: { clusters: ["sno5"], clusterSelector: ["site=a", "site=b"] },
      names: ["sno5", "sno9"],
    },
    { what: "a key alone", spec: { clusterSelector: ["ring"] }, names: ["sno9"] },
    { what: "too many equals signs", spec: { clusterSelector: ["a=b=c"] }, names: [] },
    { what: "labels", spec: { clusterLabelSelectors: [{ matchLabels: { site: "b" } }] }, names: ["sno5"] },
    {
      what: "one selector or the other",
      spec: { clusterLabelSelectors: [{ matchLabels: { site: "b" } }, { matchLabels: { site: "a" } }] },
      names: ["sno5", "sno9"],
    },
    {
      what: "both parts of one",
      spec: {
        clusterLabelSelectors: [
          { matchLabels: { site: "a" }, matchExpressions: [{ key: "ring", operator: "DoesNotExist" }] },
        ],
      },
      names: [],
    },
    {
      what: "In and NotIn, which an absent label meets",
      spec: {
        clusterLabelSelectors: [
          {
            matchExpressions: [
              { key: "vendor", operator: "In", values: ["OpenShift"] },
              { key: "site", operator: "NotIn", values: ["a", "b"] },
            ],
          },
        ],
      },
      names: ["sno1", "sno2"],
    },
    {
      what: "a selector of nothing",
      spec: { clusterLabelSelectors: [{}] },
      names: ["sno1", "sno2", "sno5", "sno9"],
    },
  ])("When it is $what, it should select $names", ({ spec, names }) => {
    expect(select(spec, labelled).clusters.map(({ name }) => name)).toEqual(names);
  });

  test.for([
    {
      what: "nothing is selected in any way",
      spec: {},
      message:
        "cannot obtain all the details about the clusters in the CR: no cluster specified for remediation",
    },
    {
      what: "a name is no cluster",
      spec: { clusters: ["sno1", "x", "y"] },
      message: "cluster x is not a ManagedCluster",
      at: ["spec.clusters", ["x", "y"]],
    },
    {
      what: "a canary is not selected",
      spec: { clusters: ["sno1"], remediationStrategy: { maxConcurrency: 1, canaries: ["sno2"] } },
      message: "canary cluster sno2 is not in the list of clusters",
      at: ["spec.remediationStrategy.canaries", "sno2"],
    },
    {
      what: "a selector's labels are a list",
      spec: { clusterLabelSelectors: [{}, { matchLabels: ["site"] }] },
      message:
        "cannot obtain all the details about the clusters in the CR: matchLabels is not an object of texts",
      at: ["spec.clusterLabelSelectors[1]", { matchLabels: ["site"] }],
    },
    {
      what: "a selector's label is a number",
      spec: { clusterLabelSelectors: [{ matchLabels: { wave: 1 } }] },
      message:
        "cannot obtain all the details about the clusters in the CR: matchLabels is not an object of texts",
    },
    {
      what: "a selector's expressions are none",
      spec: { clusterLabelSelectors: [{ matchExpressions: { key: "a", operator: "Exists" } }] },
      message:
        "cannot obtain all the details about the clusters in the CR: matchExpressions is not a list of objects",
    },
    {
      what: "a selector is a text",
      spec: { clusterLabelSelectors: ["site=oslo"] },
      message: "cannot obtain all the details about the clusters in the CR: a selector is not an object",
    },
    {
      what: "an operator is none",
      spec: { clusterLabelSelectors: [{ matchExpressions: [{ key: "a", operator: "Is" }] }] },
      message:
        'cannot obtain all the details about the clusters in the CR: "Is" is not a valid label selector operator',
    },
    {
      what: "In has no values",
      spec: { clusterLabelSelectors: [{ matchExpressions: [{ key: "a", operator: "In" }] }] },
      message:
        "cannot obtain all the details about the clusters in the CR: values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    },
  ])("When $what, it should refuse the whole", ({ spec, message, at }) => {
    const made = select(spec);
    expect(made.conditions).toEqual([
      {
        type: "ClustersSelected",
        status: "False",
        reason: "ClusterNotFound",
        message: `Unable to select clusters: ${message}`,
      },
    ]);
    expect(codesOf(made)).toContain("error ClusterNotFound");
    const told = made.issues.find(({ code }) => code === "ClusterNotFound");
    if (at) expect([told?.path, told?.value]).toEqual(at);
  });

  test("When a cluster has more than one node, it should be left out and say why; TALM does not look", () => {
    const objects = [
      anUpgrade({ clusters: ["sno1", "compact"] }),
      aPolicy("platform", [aWantedRelease()], { sno1: "NonCompliant", compact: "NonCompliant" }),
      aManagedCluster("compact", { topology: "HighlyAvailable" }),
    ];
    expect(plan({ objects }).clusters[1]).toEqual({
      name: "compact",
      action: "leave out",
      reason: "It is no single-node cluster: the topology of its control plane is HighlyAvailable.",
    });
    expect(actionsOf(plan({ objects, options: { compat: "talm" } }))).toEqual({
      sno1: "precache",
      compact: "precache",
    });
  });

  test.for([
    { hub: "4.20.3", codes: [] },
    { hub: "4.21", codes: [] },
    { hub: "4.22.0-rc.1", codes: ["warning VersionSkew"] },
    { hub: "5.0", codes: ["warning ClusterVersionUnknown"] },
    { hub: "", codes: ["warning HubVersionUnknown"] },
  ])("When the hub is of $hub and clusters of 4.19, it should tell $codes", ({ hub, codes }) => {
    const made = plan({ objects: [anUpgrade(), platform], hubVersion: hub });
    expect(codesOf(made)).toEqual(codes);
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });
});

describe("fields of another type than the API has", () => {
  test.each([
    ["spec.preCaching", { preCaching: "true" }],
    ["spec.clusters", { clusters: "sno1" }],
    ["spec.managedPolicies", { managedPolicies: [1] }],
    ["spec.clusterLabelSelectors", { clusterLabelSelectors: { matchLabels: {} } }],
    ["spec.clusterLabelSelectors[0].matchLabels", { clusterLabelSelectors: [{ matchLabels: ["a"] }] }],
    ["spec.remediationStrategy", { remediationStrategy: "all" }],
    ["spec.remediationStrategy.maxConcurrency", { remediationStrategy: { maxConcurrency: "10" } }],
    ["spec.remediationStrategy.canaries", { remediationStrategy: { maxConcurrency: 1, canaries: "sno1" } }],
  ])("When %s is, it should be told by its path, once", (path, spec) => {
    const objects = [platform, anUpgrade(spec)];
    const wrongTypes = (compat?: "talm") =>
      plan({ objects, options: compat ? { compat } : {} })
        .issues.filter(({ path: at }) => at.startsWith(path))
        .map(({ code, path: at, severity }) => `${severity} ${code} ${at}`);
    expect(wrongTypes()).toContain(`error InvalidType ${path}`);
    expect(wrongTypes("talm")).toContain(`warning InvalidType ${path}`);
    expect(wrongTypes().join()).not.toContain("MaxConcurrencyMissing");
  });

  test("When a selector has a field that no selector has, it should be told: the API server drops it", () => {
    const typo = anUpgrade({ clusterLabelSelectors: [{ matchlabels: { site: "oslo" } }] });
    const of = (compat?: "talm") =>
      plan({ objects: [platform, typo], options: compat ? { compat } : {} }).issues.find(
        ({ code }) => code === "UnknownField",
      );
    expect(of()).toMatchObject({
      severity: "error",
      path: "spec.clusterLabelSelectors[0].matchlabels",
      value: { site: "oslo" },
    });
    expect(of("talm")).toMatchObject({ severity: "warning" });
  });

  test.for([
    { timeout: -1, codes: ["warning TimeoutIgnored"] },
    { timeout: 0, codes: ["warning TimeoutIgnored"] },
    { timeout: 1, codes: [] },
  ])("When a timeout is $timeout, it should tell $codes", ({ timeout, codes }) => {
    const cgu = anUpgrade({ remediationStrategy: { maxConcurrency: 1, timeout } });
    expect(codesOf(plan({ objects: [platform, cgu], hubVersion: "4.20" }))).toEqual(codes);
    expect(codesOf(plan({ objects: [platform, cgu], options: { compat: "talm" } }))).not.toContain(
      "warning TimeoutIgnored",
    );
  });

  test("When a PreCachingConfig has a field in the wrong place, it should be told where it belongs", () => {
    const config = aPreCachingConfig({ platformImage: "a/b", overrides: { additionalImages: [] }, speed: 1 });
    const { issues, conditions } = plan({ objects: [platform, config, anUpgrade(ref)] });
    expect(issues.map(({ code, path, remedy }) => `${code} ${path}: ${remedy}`)).toEqual([
      "UnknownField spec.platformImage: Write it below spec.overrides.",
      "UnknownField spec.speed: The fields here are overrides, spaceRequired, excludePrecachePatterns, additionalImages.",
      "UnknownField spec.overrides.additionalImages: Write it below spec.",
    ]);
    expect(conditions.at(-1)).toMatchObject({ type: "PrecachingSuceeded" });
    const likeTalm = plan({ objects: [platform, config, anUpgrade(ref)], options: { compat: "talm" } });
    expect(lastOf(likeTalm)[0]).toBe("PrecachingSuceeded");
  });
});

describe("managed policies", () => {
  test("When no cluster is selected, a policy that exists should not be missing; to TALM it is", () => {
    const objects = [platform, anUpgrade({ clusters: [] })];
    expect(lastOf(plan({ objects }))).toEqual([
      "Validated",
      "True",
      "ValidationCompleted",
      "Completed validation",
    ]);
    expect(codesOf(plan({ objects }))).toEqual(["warning NoClusterSelected"]);
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[2]).toBe("NotAllManagedPoliciesExist");
  });

  const elsewhere = aPolicy("platform", [aWantedRelease()], undefined, { namespace: "other" });
  const malformed = aPolicy("broken", [], undefined, { "policy-templates": [{ objectDefinition: {} }] });

  test.for([
    {
      what: "are missing",
      managedPolicies: ["platform", "b", "a"],
      objects: [platform],
      condition: ["Validated", "False", "NotAllManagedPoliciesExist", "Missing managed policies: [b a] "],
    },
    {
      what: "are malformed",
      managedPolicies: ["broken", "a"],
      objects: [malformed],
      condition: ["Validated", "False", "NotAllManagedPoliciesExist", "Invalid managed policies: [broken] "],
    },
    {
      what: "are there twice",
      managedPolicies: ["platform"],
      objects: [platform, elsewhere],
      condition: [
        "Validated",
        "False",
        "AmbiguousManagedPoliciesNames",
        'Managed policy name should be unique, but was found in multiple namespaces: {"platform":["other","policies"]} ',
      ],
    },
    {
      what: "depend on a later one",
      managedPolicies: ["operators", "platform"],
      objects: [
        platform,
        aPolicy("operators", [aCatalogSource(index)], undefined, {
          dependencies: [{ name: "platform", namespace: "policies" }],
        }),
      ],
      condition: [
        "Validated",
        "False",
        "UnresolvableDenpendency",
        "Managed Policy operators depends on platform, which is to be remediated later",
      ],
    },
  ])("When they $what, it should say so as TALM does", ({ managedPolicies, objects, condition }) => {
    for (const options of [{}, { compat: "talm" as const }])
      expect(lastOf(plan({ objects: [anUpgrade({ managedPolicies }), ...objects], options }))).toEqual(
        condition,
      );
  });

  test("When a policy that is not managed is there twice, only TALM should stop", () => {
    const twice = [aPolicy("other", [], undefined), aPolicy("other", [], undefined, { namespace: "else" })];
    const objects = [anUpgrade(), platform, ...twice];
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[2]).toBe("AmbiguousManagedPoliciesNames");
    expect(lastOf(plan({ objects }))[2]).toBe("InProgress");
  });

  test("When a policy is enforced, it should be left out, with a word", () => {
    const objects = [
      anUpgrade(),
      aPolicy("platform", [aWantedRelease()], undefined, { remediationAction: "Enforce" }),
    ];
    expect(codesOf(plan({ objects }))).toEqual(["warning PolicyEnforced"]);
    expect(plan({ objects, options: { compat: "talm" } }).issues).toEqual([]);
  });

  test("When the copies still hold a hub template, the policy should be invalid", () => {
    const unresolved = aPolicy("platform", [aWantedRelease({ channel: "{{hub .c hub}}" })]);
    expect(lastOf(plan({ objects: [anUpgrade(), unresolved] }))[3]).toBe(
      "Invalid managed policies: [platform] ",
    );
  });

  test("When only the policies themselves were read, it should be the same plan", () => {
    const [input] = planInputsOf([...clusters, anUpgrade(), platform], "4.20");
    expect(input && planPrecache({ ...input, lookup: () => unasked }).plan).toEqual(
      plan({ objects: [anUpgrade(), platform] }),
    );
  });

  test("When a policy is bound to other clusters only, it should be missing", () => {
    const [input] = planInputsOf(
      [...clusters, anUpgrade(), aPolicy("platform", [], { sno7: "NonCompliant" })],
      "4.20",
    );
    expect(input && lastOf(planPrecache({ ...input, lookup: () => unasked }).plan)[3]).toBe(
      "Missing managed policies: [platform] ",
    );
  });
});

describe("the release", () => {
  const byVersion = (spec: Readonly<Record<string, unknown>> = {}) =>
    aWantedRelease({
      upstream: "https://graph.lab/api",
      channel: "stable-4.20",
      desiredUpdate: { version: "4.20.3" },
      ...spec,
    });
  const graph: GraphAnswer = { ok: true, nodes: [{ version: "4.20.3", payload: releaseImage }] };
  const withPolicies = (...objects: readonly Readonly<Record<string, unknown>>[]) => [
    anUpgrade({ managedPolicies: objects.map((_, position) => `p${position}`) }),
    ...objects.map((one, position) => aPolicy(`p${position}`, [one])),
  ];

  test("When only a version is named, it should come from the update graph", () => {
    expect(plan({ objects: withPolicies(byVersion()), graph }).spec.platformImage).toBe(releaseImage);
  });

  test("When its parts are in several policies, they should count together", () => {
    const objects = withPolicies(
      aWantedRelease({ upstream: "https://graph.lab/api" }),
      aWantedRelease({ channel: "stable-4.20" }),
      aWantedRelease({ desiredUpdate: { version: "4.20.3" } }),
    );
    expect(plan({ objects, graph }).spec.platformImage).toBe(releaseImage);
  });

  test.for([
    {
      what: "a part is missing",
      given: [byVersion({ channel: "" })],
      message:
        "policy with ClusterVersion must have upstream, channel, and version when image is not provided",
    },
    {
      what: "channels differ",
      given: [byVersion(), byVersion({ channel: "fast-4.20" })],
      message: "platform image defined more then once with conflicting channel values",
    },
    {
      what: "upstreams differ",
      given: [byVersion(), byVersion({ upstream: "https://other" })],
      message: "platform image defined more then once with conflicting upstream values",
    },
    {
      what: "versions differ",
      given: [byVersion(), byVersion({ desiredUpdate: { version: "4.20.4" } })],
      message: "platform image defined more then once with conflicting version values",
    },
    {
      what: "images differ",
      given: [aWantedRelease(), aWantedRelease({ desiredUpdate: { image: "quay.io/x" } })],
      message: "platform image defined more then once with conflicting image values",
    },
    {
      what: "a field is a template",
      given: [byVersion({ channel: "{{ .c }}" })],
      message: "templatized ClusterVersion fields not supported with precaching",
    },
    {
      what: "a field was a raw template",
      given: [byVersion({ channel: "placeholder" })],
      message: "templating cluster version fields not supported",
    },
    {
      what: "the graph has no such version",
      given: [byVersion({ desiredUpdate: { version: "4.20.9" } })],
      message:
        "unable to find version 4.20.9 on update graph on url https://graph.lab/api?channel=stable-4.20",
    },
  ])("When $what, it should say so as TALM does", ({ given, message }) => {
    for (const options of [{}, { compat: "talm" as const }]) {
      const made = plan({ objects: withPolicies(...given), graph, options });
      expect(lastOf(made)).toEqual(["Validated", "False", "InvalidPlatformImage", message]);
      expect(codesOf(made)).toContain("error InvalidPlatformImage");
      expect(made.issues.at(-1)?.remedy).toContain("Correct the ClusterVersion in the managed policies");
    }
  });

  test("When a second policy leaves a field empty, only TALM should take that for another value", () => {
    const objects = withPolicies(byVersion(), byVersion({ channel: "" }));
    expect(lastOf(plan({ objects, graph }))[2]).toBe("InProgress");
    expect(lastOf(plan({ objects, graph, options: { compat: "talm" } }))[3]).toContain("conflicting channel");
  });

  test("When the graph cannot be had, an override should not rescue the plan", () => {
    const down: GraphAnswer = { ok: false, message: "error response from update graph url U: 500" };
    const config = aPreCachingConfig({ overrides: { platformImage: releaseImage } });
    const [cgu, policy] = withPolicies(byVersion());
    if (!cgu || !policy) throw new Error("two objects are needed");
    const objects = [{ ...cgu, spec: { ...Object(cgu.spec), ...ref } }, policy, config];
    expect(lastOf(plan({ objects, graph: down }))).toEqual([
      "Validated",
      "False",
      "InvalidPlatformImage",
      down.message,
    ]);
    const [issue] = plan({ objects, graph: down }).issues;
    expect(issue?.remedy).toContain("See that the update graph can be had");
  });

  test("When a policy that is met names another release, hubrelay should tell it in a condition and TALM in none", () => {
    const met = aPolicy("met", [aWantedRelease({ desiredUpdate: { image: "quay.io/x" } })], {
      sno1: "Compliant",
      sno2: "Compliant",
    });
    const objects = [anUpgrade({ managedPolicies: ["platform", "met"] }), platform, met];
    expect(lastOf(plan({ objects }))).toEqual([
      "PrecacheSpecValid",
      "False",
      "PrecacheSpecIncomplete",
      "Precaching spec is incomplete: platform image defined more then once with conflicting image values",
    ]);
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[0]).toBe("Validated");
  });
});

describe("where values come from", () => {
  const configMap = anOverridesConfigMap({
    "platform.image": "quay.io/from-config-map",
    "operators.indexes": "quay.io/index-a \n\nquay.io/index-b\n",
    "operators.packagesAndChannels": "a:stable\nb:stable",
    excludePrecachePatterns: "aws\n  \nvsphere",
    "precache.spaceRequired": "40 GiB",
  });
  const config = aPreCachingConfig({
    overrides: {
      platformImage: "quay.io/from-config",
      operatorsIndexes: ["quay.io/index-c"],
      operatorsPackagesAndChannels: ["c:stable"],
    },
    excludePrecachePatterns: ["azure"],
    spaceRequired: "50 GiB",
  });
  const cgu = anUpgrade({ ...ref, managedPolicies: ["platform", "operators"] });
  const all = [cgu, platform, operators, config, configMap];

  test("When a PreCachingConfig has a value, it should go before the ConfigMap and the policies", () => {
    expect(plan({ objects: all }).spec).toEqual({
      platformImage: "quay.io/from-config",
      operatorsIndexes: ["quay.io/index-c"],
      operatorsPackagesAndChannels: ["c:stable"],
      excludePrecachePatterns: ["azure"],
      additionalImages: [],
      spaceRequired: "50",
    });
  });

  test("When only the ConfigMap has them, it should go before the policies and be told as deprecated", () => {
    const made = plan({
      objects: [anUpgrade({ managedPolicies: ["platform", "operators"] }), platform, operators, configMap],
    });
    expect(made.spec).toMatchObject({
      platformImage: "quay.io/from-config-map",
      operatorsIndexes: ["quay.io/index-a", "quay.io/index-b"],
      excludePrecachePatterns: ["aws", "vsphere"],
      spaceRequired: "40",
    });
    expect(codesOf(made)).toEqual(Array(5).fill("warning DeprecatedConfigMap"));
    expect(made.issues[0]?.message).toBe(
      "Deprecation warning: using cluster-group-upgrade-overrides ConfigMap to override the default value for platform.image is deprecated. Please use PreCachingConfig CR.",
    );
  });

  test("When TALM reads the ConfigMap, a line of blanks should be an empty entry", () => {
    expect(
      plan({ objects: [anUpgrade(), platform, configMap], options: { compat: "talm" } }).spec
        .excludePrecachePatterns,
    ).toEqual(["aws", "", "vsphere"]);
  });

  test.for([{}, { compat: "talm" as const }])(
    "When the profile is hardened, release and indexes should come from the policies alone (%j)",
    (options) => {
      expect(plan({ objects: all, options: { ...options, profile: "hardened" } }).spec).toMatchObject({
        platformImage: releaseImage,
        operatorsIndexes: [index],
        operatorsPackagesAndChannels: ["c:stable"],
        excludePrecachePatterns: ["azure"],
        spaceRequired: "50",
      });
    },
  );

  test("When a list is empty, it should not clear that of the next source", () => {
    const empty = aPreCachingConfig({ overrides: { operatorsIndexes: [], platformImage: "" } });
    expect(plan({ objects: [cgu, platform, operators, empty] }).spec).toMatchObject({
      platformImage: releaseImage,
      operatorsIndexes: [index],
    });
  });

  test("When the reference has no namespace, it should be that of the ClusterGroupUpgrade", () => {
    const elsewhere = aPreCachingConfig({ spaceRequired: "99 GiB" }, { namespace: "other" });
    expect(plan({ objects: [cgu, platform, operators, config, elsewhere] }).spec.spaceRequired).toBe("50");
  });

  test("When the PreCachingConfig does not exist, it should say so as TALM does", () => {
    for (const options of [{}, { compat: "talm" as const }])
      expect(lastOf(plan({ objects: [cgu, platform, operators], options }))[3]).toBe(
        'Precaching spec is incomplete: failed to get PreCachingConfig resource due to PreCachingConfig.ran.openshift.io "config" not found',
      );
  });

  test.for([
    { text: "30Gi", ours: "30", talm: "invalid suffix: 'gi'" },
    { text: "thirty", ours: undefined, talm: "invalid size: 'thirty'" },
  ])("When spaceRequired is $text, it should be $ours, and TALM should refuse it", ({ text, ours, talm }) => {
    const objects = [anUpgrade(ref), platform, aPreCachingConfig({ spaceRequired: text })];
    const refusal = `Precaching spec is incomplete: failed to get PreCachingConfig resource due to ${talm}`;
    const made = plan({ objects });
    if (ours) expect(made.spec.spaceRequired).toBe(ours);
    else expect(lastOf(made)[3]).toBe(refusal);
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[3]).toBe(refusal);
  });

  test("When spaceRequired has no unit, it should be told how little that is", () => {
    const made = plan({ objects: [anUpgrade(ref), platform, aPreCachingConfig({ spaceRequired: "30" })] });
    expect(codesOf(made)).toEqual(["warning SpaceInBytes"]);
    expect(made.spec.spaceRequired).toBe("1");
  });

  test("When packages are maps, they should be read with a hint; to TALM the object does not exist", () => {
    const maps = aPreCachingConfig({
      overrides: { operatorsIndexes: [index], operatorsPackagesAndChannels: [{ "ptp-operator": "stable" }] },
    });
    const objects = [anUpgrade(ref), platform, maps];
    const made = plan({ objects });
    expect(made.spec.operatorsPackagesAndChannels).toEqual(["ptp-operator:stable"]);
    expect(codesOf(made)).toEqual(["warning PackageAsMap"]);
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[3]).toContain(
      'PreCachingConfig.ran.openshift.io "config" not found',
    );
  });
});

describe("what makes a plan", () => {
  const users = (additionalImages: readonly unknown[], spec = {}) => [
    anUpgrade({ ...ref, managedPolicies: [], ...spec }),
    aPreCachingConfig({ additionalImages }),
  ];

  test("When there are additional images alone, every cluster should get them, compliant or not", () => {
    const made = plan({ objects: users([userImage]) });
    expect(made.spec).toMatchObject({ platformImage: "", additionalImages: [userImage] });
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });

  test("When there are additional images alone, TALM should refuse them, if anybody does not comply", () => {
    const unrelated = aPolicy("platform", [{ apiVersion: "v1", kind: "ConfigMap" }]);
    const objects = [...users([userImage], { managedPolicies: ["platform"] }), unrelated];
    expect(lastOf(plan({ objects, options: { compat: "talm" } }))[3]).toBe(
      "Precaching spec is incomplete: inconsistent precaching configuration: no software spec provided",
    );
    expect(lastOf(plan({ objects }))[2]).toBe("InProgress");
  });

  test.for([
    { image: "quay.io/acme/app:v1", why: "The image has no digest" },
    { image: "quay.io/acme/app", why: "The image has no digest" },
    { image: `acme/app@${digestOf("1")}`, why: "The image is not fully qualified" },
    { image: "busybox", why: "The image is not fully qualified" },
    { image: "quay.io/acme/app@sha256:123", why: "The digest is none" },
    { image: `quay.io/acme/applicationN@${digestOf("1")}`, why: "A repository has no capital letters" },
    { image: "", why: "The entry is empty" },
  ])("When an additional image is $image, it should be named with what is wrong", ({ image, why }) => {
    const made = plan({ objects: users([userImage, image, image]) });
    expect(
      made.issues.filter(({ code }) => code === "AdditionalImageInvalid").map(({ path }) => path),
    ).toEqual(["spec.additionalImages[1]", "spec.additionalImages[2]"]);
    expect(lastOf(made)[3]).toContain(`spec.additionalImages[1] ${JSON.stringify(image)}: ${why}`);
    expect(made.spec.additionalImages).toEqual([]);
  });

  test("When TALM gets an image by tag, it should take it", () => {
    const objects = [...users(["quay.io/acme/app:v1"], { managedPolicies: ["platform"] }), platform];
    const made = plan({ objects, options: { compat: "talm" } });
    expect(made.spec.additionalImages).toEqual(["quay.io/acme/app:v1"]);
    expect(codesOf(made)).toEqual(["warning AdditionalImageInvalid"]);
  });

  test.for([
    {
      what: "an index has no packages",
      policy: aPolicy("platform", [aCatalogSource(index)]),
      message: "olm index provided, but no packages",
    },
    { what: "there is nothing", policy: aPolicy("platform", []), message: "no software spec provided" },
  ])("When $what, it should say so as TALM does", ({ policy, message }) => {
    for (const options of [{}, { compat: "talm" as const }])
      expect(lastOf(plan({ objects: [anUpgrade(), policy], options }))).toEqual([
        "PrecacheSpecValid",
        "False",
        "PrecacheSpecIncomplete",
        `Precaching spec is incomplete: inconsistent precaching configuration: ${message}`,
      ]);
  });

  test("When fields are missing or of another group, hubrelay should leave them out and TALM print what Go prints", () => {
    const policy = aPolicy("platform", [
      aWantedRelease(),
      aCatalogSource(index),
      aCatalogSource(undefined),
      aSubscription("ptp-operator", "stable"),
      aSubscription("ptp-operator", "stable"),
      aSubscription("no-channel"),
      aSubscription("app", "git", "apps.open-cluster-management.io/v1"),
    ]);
    const made = plan({ objects: [anUpgrade(), policy] });
    expect(made.spec).toMatchObject({
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["ptp-operator:stable"],
    });
    expect(codesOf(made)).toEqual(["warning FieldMissing", "warning FieldMissing"]);
    expect(plan({ objects: [anUpgrade(), policy], options: { compat: "talm" } }).spec).toMatchObject({
      operatorsIndexes: [index, "%!s(<nil>)"],
      operatorsPackagesAndChannels: [
        "ptp-operator:stable",
        "ptp-operator:stable",
        "no-channel:%!s(<nil>)",
        "app:git",
      ],
    });
  });

  test("When a login stands in an image, no condition should repeat it", () => {
    const made = plan({ objects: users(["https://robot:hunter2@quay.io/acme/app"]) });
    expect(JSON.stringify(made.conditions)).not.toContain("hunter2");
  });
});

describe("two ClusterGroupUpgrades on one cluster", () => {
  const younger = anUpgrade(
    { clusters: ["sno2"] },
    { name: "younger", creationTimestamp: "2026-03-01T03:00:00Z" },
  );
  const all = (...objects: readonly KubernetesObject[]) =>
    planAll(
      planInputsOf([...clusters, platform, ...objects], "4.20").map((input) => ({
        ...input,
        lookup: () => unasked,
      })),
    ).map((result) => result.plan);

  test("When both are new, the younger should wait and say for whom", () => {
    const [second, first] = all(younger, anUpgrade());
    expect(first && actionsOf(first)).toEqual({ sno1: "precache", sno2: "precache" });
    expect(second?.clusters).toEqual([
      {
        name: "sno2",
        action: "wait",
        reason: "Waits for ClusterGroupUpgrade/ztp/upgrade, which pre-caches this cluster first.",
      },
    ]);
  });

  test("When the younger has started, the older should wait", () => {
    const [second, first] = all(
      { ...younger, status: { precaching: { status: { sno2: "Active" } } } },
      anUpgrade(),
    );
    expect(second && actionsOf(second)).toEqual({ sno2: "precache" });
    expect(first && actionsOf(first)).toEqual({ sno1: "precache", sno2: "wait" });
  });

  test.for([
    { what: "is done with the cluster", status: { precaching: { status: { sno2: "Succeeded" } } } },
    { what: "is over", status: { conditions: [{ type: "Succeeded", status: "True" }] } },
    { what: "is rolled out", status: { conditions: [{ type: "Progressing", status: "True" }] } },
  ])("When the older $what, the younger should go", ({ status }) => {
    const [second] = all(younger, { ...anUpgrade(), status });
    expect(second && actionsOf(second)).toEqual({ sno2: "precache" });
  });
});

test("When objects come in any order, it should be the same plan", () => {
  const objects = [
    anUpgrade({ ...ref, managedPolicies: ["platform", "operators"] }),
    platform,
    operators,
    aPreCachingConfig({ additionalImages: [userImage] }),
    anOverridesConfigMap({ excludePrecachePatterns: "aws" }),
  ];
  const expected = plan({ objects });
  fc.assert(
    fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
      expect(plan({ objects: shuffled })).toEqual(expected);
    }),
  );
});
