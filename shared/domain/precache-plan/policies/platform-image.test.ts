import { describe, expect, test } from "vitest";
import {
  aCatalogSource,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
  releaseImage,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import {
  codesOf,
  index,
  lastOf,
  plan,
  platform,
  ref,
} from "../../../../test/support/precache/precache-planning.ts";
import type { GraphLookup } from "./update-graph.ts";

describe("the release", () => {
  const byVersion = (spec: Readonly<Record<string, unknown>> = {}) =>
    aWantedRelease({
      upstream: "https://graph.lab/api",
      channel: "stable-4.20",
      desiredUpdate: { version: "4.20.3" },
      ...spec,
    });
  const graph: GraphLookup = ({ version }) => ({
    ok: true,
    image: version === "4.20.3" ? releaseImage : undefined,
  });
  const withPolicies = (...objects: readonly Readonly<Record<string, unknown>>[]) => [
    anUpgrade({ managedPolicies: objects.map((_, position) => `p${position}`) }),
    ...objects.map((one, position) => aPolicy(`p${position}`, [one])),
  ];

  test("When only a version is named, it should come from the update graph", () => {
    expect(plan({ objects: withPolicies(byVersion()), graph }).spec.platformImage).toBe(releaseImage);
  });

  test("When a version has no quotes, so that YAML reads a number, nothing should start", () => {
    const objects = withPolicies(aWantedRelease({ desiredUpdate: { version: 4.2, image: releaseImage } }));
    const made = plan({ objects });
    expect(codesOf(made)).toEqual(["error InvalidType"]);
    expect(lastOf(made).slice(0, 3)).toEqual(["Validated", "False", "InvalidPlatformImage"]);
  });

  test("When the cluster only checks an update, its release should not be pre-cached", () => {
    const desiredUpdate = { version: "4.20.3", image: releaseImage, mode: "Preflight" };
    const policies = [
      aPolicy("platform", [aWantedRelease({ desiredUpdate })]),
      aPolicy("operators", [aCatalogSource(index), aSubscription("ptp-operator", "stable")]),
    ];
    const objects = [anUpgrade({ managedPolicies: ["platform", "operators"] }), ...policies];
    const made = plan({ objects });
    expect(made.spec).toMatchObject({ platformImage: "", operatorsIndexes: [index] });
    expect(codesOf(made)).toEqual(["warning PreflightOnly"]);
    const [, status] = lastOf(plan({ objects: [anUpgrade(), ...policies] }));
    expect(status).toBe("False");
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
      places: "stable-4.20 in Policy policies/p0, fast-4.20 in Policy policies/p1",
    },
    {
      what: "images differ",
      given: [aWantedRelease(), aWantedRelease({ desiredUpdate: { image: "quay.io/x" } })],
      message: "platform image defined more then once with conflicting image values",
      places: `${releaseImage} in Policy policies/p0, quay.io/x in Policy policies/p1`,
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
      places: "channel of ClusterVersion in Policy policies/p0",
    },
    {
      what: "the graph has no such version",
      given: [byVersion({ desiredUpdate: { version: "4.20.9" } })],
      message:
        "unable to find version 4.20.9 on update graph on url https://graph.lab/api?channel=stable-4.20",
    },
  ])(
    "When $what, it should say so as TALM does, and name policies and values",
    ({ given, message, places }) => {
      const made = plan({ objects: withPolicies(...given), graph });
      const said = places === undefined ? message : `${message}: ${places}`;
      expect(lastOf(made)).toEqual(["Validated", "False", "InvalidPlatformImage", said]);
      expect(codesOf(made)).toContain("error InvalidPlatformImage");
      expect(made.issues.at(-1)?.remedy).toContain("Correct the ClusterVersion in the managed policies");
    },
  );

  test("When a second policy leaves a field empty, that should be no other value", () => {
    const objects = withPolicies(byVersion(), byVersion({ channel: "" }));
    expect(lastOf(plan({ objects, graph }))[2]).toBe("InProgress");
  });

  test("When the graph is not available, an override should not rescue the plan", () => {
    const message = "error response from update graph url U: 500";
    const down: GraphLookup = () => ({ ok: false, message });
    const config = aPreCachingConfig({ overrides: { platformImage: releaseImage } });
    const [cgu, policy] = withPolicies(byVersion());
    if (!cgu || !policy) throw new Error("two objects are needed");
    const objects = [{ ...cgu, spec: { ...Object(cgu.spec), ...ref } }, policy, config];
    expect(lastOf(plan({ objects, graph: down }))).toEqual([
      "Validated",
      "False",
      "InvalidPlatformImage",
      message,
    ]);
    const [issue] = plan({ objects, graph: down }).issues;
    expect(issue?.remedy).toContain("Make the update graph available");
  });

  test.for([
    {
      what: "the channel alone",
      spec: { channel: "stable-4.20" },
      message: "must have upstream, channel, and version",
    },
    {
      what: "an image that is a template",
      spec: { desiredUpdate: { image: "{{ .i }}" } },
      message: "templatized ClusterVersion fields",
    },
  ])("When a policy that is met has $what, it should say so", ({ spec, message }) => {
    const met = aPolicy("met", [aWantedRelease(spec)], { sno1: "Compliant", sno2: "Compliant" });
    const policy = aPolicy("platform", [aCatalogSource(index), aSubscription("ptp-operator", "stable")]);
    const objects = [anUpgrade({ managedPolicies: ["platform", "met"] }), policy, met];
    expect(lastOf(plan({ objects }))[3]).toContain(message);
  });

  test("When a compliant policy names another release, a condition should report it", () => {
    const met = aPolicy("met", [aWantedRelease({ desiredUpdate: { image: "quay.io/x" } })], {
      sno1: "Compliant",
      sno2: "Compliant",
    });
    const objects = [anUpgrade({ managedPolicies: ["platform", "met"] }), platform, met];
    expect(lastOf(plan({ objects }))).toEqual([
      "PrecacheSpecValid",
      "False",
      "PrecacheSpecIncomplete",
      `Precaching spec is incomplete: platform image defined more then once with conflicting image values: ${releaseImage} in Policy policies/platform, quay.io/x in Policy policies/met`,
    ]);
  });
});
