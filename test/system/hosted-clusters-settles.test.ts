import fc from "fast-check";
import { expect, test } from "vitest";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { imageReferencesPath } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import {
  expectedObjects,
  traceKinds,
} from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { settingsConfigMaps } from "#shared/domain/hosted-clusters/disabled-capabilities/settings.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { type Registry, RegistryError } from "#shared/ports/registry.ts";
import {
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  imageStreams,
  inMemory,
  secret,
} from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aNodePool, inPlace } from "../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";

const key = "clusters/shop";
const namespace = "clusters-shop";
const digest = `sha256:${"a".repeat(64)}`;
const ocp = "quay.io/openshift-release-dev/ocp-release";
type Fields = Readonly<Record<string, unknown>>;

const object = (kind: Kind, name: string, fields: Fields = {}, within?: string): KubernetesObject => ({
  ...fields,
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, ...(kind.namespaced && within ? { namespace: within } : {}) },
});
/** Each of them is present or not. */
const some = <Item>(...items: readonly Item[]) => fc.subarray([...items]);

const images = Object.fromEntries(
  ["certified", "community", "redhat"].map((name) => [
    `hypershift.openshift.io/${name}-operators-catalog-image`,
    `m.lan/${name}@${digest}`,
  ]),
);
const annotations = some<Readonly<Record<string, string>>>(
  images,
  { "hypershift.openshift.io/redhat-operators-catalog-image": "m.lan/redhat:v4.20" },
  { "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "registry.redhat.io=m.lan,nonsense" },
  { "hubrelay.dev/olm-catalogs": "from-mirrors" },
  { "hubrelay.dev/take-over": "true" },
).map((chosen): Readonly<Record<string, string>> => Object.assign({}, ...chosen));

const entry = (source: string, mirror = "m.lan") => ({ source, mirrors: [`${mirror}/x`] });
const spec = fc.record(
  {
    release: fc
      .constantFrom(
        `${ocp}:4.20.4-multi`,
        `${ocp}:4.16.1`,
        "reg.lan/own/release:4.20.4",
        `reg.lan/own/release@${digest}`,
      )
      .map((image) => ({ image })),
    capabilities: fc.constantFrom(
      {},
      { disabled: ["ImageRegistry"] },
      { disabled: ["Ingress", "Console", "NodeTuning"] },
      { enabled: ["baremetal"] },
    ),
    olmCatalogPlacement: fc.constantFrom("management", "guest"),
    imageContentSources: some(entry("quay.io/acme"), entry(ocp)),
    configuration: fc.constantFrom(
      {},
      { operatorhub: {} },
      { operatorhub: { disableAllDefaultSources: true } },
    ),
    platform: fc.constantFrom("None", "AWS", "Azure", "OpenStack").map((type) => ({ type })),
    pausedUntil: fc.constantFrom("true", "false", "2026-04-01T00:00:00Z"),
  },
  { requiredKeys: ["release"] },
);

const mirrorsOfNodes = JSON.stringify(aDigestMirrorSet("nodes", [entry("quay.io/acme")]));
/** NodePools with their configuration, which may be missing or wrong, and what registries are asked with. */
const nodes = fc
  .tuple(
    some(
      aNodePool("blue", { config: [{ name: "nodes" }] }),
      aNodePool("green", { ...inPlace, config: [{ name: "nodes" }, { name: "missing" }] }),
      aNodePool("tuned", { tuningConfig: [{ name: "tuning" }] }),
    ),
    fc.constantFrom<readonly string[]>([], [mirrorsOfNodes], ["kind: Image"], ["{"]),
    fc.constantFrom<readonly Fields[]>(
      [],
      [{}],
      [{ registrySources: { insecureRegistries: ["m.lan"], blockedRegistries: ["quay.io"] } }],
      [{ additionalTrustedCA: { name: "missing" } }],
    ),
    fc.constantFrom<readonly string[]>([], ["{}"], ['{"auths":{"m.lan":{"auth":"dTpw"}}}'], ["{"]),
  )
  .map(([pools, configs, imageConfigs, pullSecrets]) => [
    ...pools,
    ...configs.map((text) => object(kinds.ConfigMap, "nodes", { data: { config: text } }, "clusters")),
    ...imageConfigs.map((fields) => object(kinds.Image, "cluster", { spec: fields })),
    ...pullSecrets.map((text) => secret(namespace, "pull-secret", { ".dockerconfigjson": text })),
  ]);

const config = (content: string) => ({ data: { "config.json": content, "config.yaml": content } });
const onHub = fc
  .tuple(
    some(imageStreams, object(kinds.Deployment, "operator", { spec: {} }, "hypershift")),
    some(
      aDigestMirrorSet("ocp", [entry(ocp), entry("quay.io", "n.lan")]),
      aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: ["m.lan/olm"] }]),
      aDigestMirrorSet("own", [entry("reg.lan/own/art"), entry("reg.lan/own/release")]),
      aDigestMirrorSet("wrong", [{ source: "https://quay.io", mirrors: ["", "m.lan"] }]),
    ),
    fc.tuple(
      ...settingsConfigMaps.map((name) =>
        fc
          .constantFrom(
            undefined,
            "{}",
            "{",
            "controllers: null\ndockerPullSecret:\n  internalRegistryHostname: x\n",
            '{"controllers":["*","-openshift.io/serviceaccount-pull-secrets"],"imagePolicyConfig":null}',
          )
          .map((content) =>
            content === undefined ? [] : [object(kinds.ConfigMap, name, config(content), namespace)],
          ),
      ),
    ),
    nodes,
    some(
      object(kinds.ImageStream, "catalogs", { spec: { tags: [] } }, namespace),
      object(kinds.ConfigMap, "ignition-config-40-image-content-source", config("x"), namespace),
    ),
  )
  .map((parts) => parts.flat(2));
const admission = (...resources: readonly string[]) =>
  object(kinds.ValidatingAdmissionPolicy, "config", {
    spec: { matchConstraints: { resourceRules: [{ apiGroups: ["config.openshift.io"], resources }] } },
  });
const inGuest = fc
  .tuple(
    fc.constantFrom<readonly KubernetesObject[]>(
      [],
      [guestClusterVersion()],
      [{ ...guestClusterVersion("Build", "Console"), spec: {} }],
      [
        {
          ...guestClusterVersion("Build", "marketplace", "OperatorLifecycleManager"),
          status: {
            history: [{ state: "Completed", version: "4.20.4" }],
            capabilities: { enabledCapabilities: ["Build", "ImageRegistry"] },
          },
        },
      ],
    ),
    some(
      aDigestMirrorSet("cluster", [entry("docker.io")]),
      object(kinds.ImageContentSourcePolicy, "cluster", { spec: {} }),
      object(kinds.OperatorHub, "cluster", { spec: { disableAllDefaultSources: true } }),
      object(kinds.ValidatingAdmissionPolicy, "mirror", { spec: {} }),
      object(kinds.CatalogSource, "redhat-operators", { spec: { image: "x" } }, "openshift-marketplace"),
    ),
    fc.constantFrom([], [admission("proxies")], [admission("proxies", "ingresses")]),
    fc
      .constantFrom("Managed", "Removed", undefined)
      .map((managementState) =>
        managementState ? [object(traceKinds.RegistryConfig, "cluster", { spec: { managementState } })] : [],
      ),
    fc.subarray(
      expectedObjects
        .filter(({ where, kind }) => where === "guest" && kind !== traceKinds.RegistryConfig)
        .map(({ kind, name, namespace: within }) => object(kind, name, {}, within)),
    ),
  )
  .map((parts) => parts.flat(2));

/** A registry that has everything, or nothing, or does not respond. */
function aRegistry(state: "full" | "empty" | "down"): Registry {
  const tags = [{ name: "cli", from: { name: `reg.lan/own/art@${digest}` } }];
  return {
    ...noExternalPorts.registry,
    digest: async (image) => {
      if (state === "down") throw new RegistryError("Unavailable", `${image}: the registry returned 503`);
      return state === "full" ? digest : undefined;
    },
    image: async () => undefined,
    files: async () => new Map([[imageReferencesPath, JSON.stringify({ spec: { tags } })]]),
  };
}

const scenario = fc.record({
  hostedCluster: fc
    .record({ annotations, spec, isHypershifts: fc.boolean() })
    .map(({ annotations, spec, isHypershifts }) =>
      aHostedCluster({
        metadata: { annotations, ...(isHypershifts ? { finalizers: [hypershiftFinalizer] } : {}) },
        spec,
      }),
    ),
  /** The fields of the HostedControlPlane that differ; false: there is no control plane. */
  controlPlane: fc.constantFrom<Fields | false>(
    false,
    {},
    { imageContentSources: [entry("old.lan")] },
    { capabilities: { disabled: ["Insights"] }, olmCatalogPlacement: "guest" },
  ),
  overrides: fc.constantFrom(undefined, "=", `${ocp}=m.lan/x`),
  registry: fc.constantFrom("full", "empty", "down"),
  isGuestDead: fc.boolean(),
  onHub,
  inGuest,
});

test("When the plan for any hosted cluster was applied, a second decision should have no further actions", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (one) => {
      const { hostedCluster, controlPlane, overrides, registry, isGuestDead } = one;
      const ofControlPlane =
        controlPlane === false
          ? []
          : controlPlaneOf(hostedCluster, {
              ...(overrides === undefined ? {} : { overrides }),
              fields: controlPlane,
            });
      const apis = inMemory([hostedCluster, ...ofControlPlane, ...one.onHub], one.inGuest);
      const world = aWorldOf(apis, aRegistry(registry as "full" | "empty" | "down"));
      world.isGuestDead.value = isGuestDead;
      await world.deliver(key);
      const again = async () => {
        const { hub, now, external } = world.ports;
        return hostedClusters.plan({ hub, key, now: now(), external });
      };
      expect((await again()).actions).toEqual([]);
      // Time alone only changes what is expected of others, which is reported once.
      world.clock.now = new Date("2026-03-01T04:00:00Z");
      await world.deliver(key);
      expect((await again()).actions).toEqual([]);
      expect(await world.affected()).toEqual([]);
    }),
    { numRuns: 40 },
  );
}, 300_000);
