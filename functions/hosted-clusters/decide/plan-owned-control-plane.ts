import { isRegistryRemoved } from "#shared/domain/hosted-clusters/absence/registry-traces.ts";
import { withSettings } from "#shared/domain/hosted-clusters/absence/write-settings.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import type { ImageContentSource } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import type { CatalogImage } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import {
  imageStreamName,
  imageStreamSpec,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests, writeManifest } from "#shared/domain/manifests/manifests.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { repositoriesIn } from "../observe/find-payload.ts";
import { ignitionConfigName } from "../well-known-names.ts";
import type { Context } from "./cluster-plan.ts";
import { copiesOf, differingFields, guestMirrorSet } from "./desired.ts";
import { overridesTextOf, withOverridesText } from "./environment-of.ts";

const ignitionLabel = { "hypershift.openshift.io/core-ignition-config": "true" };

/**
 * An object of the control plane belongs to it, and goes with it. It does not hold its deletion up: that takes a
 * permission for the owner's finalizers.
 */
function ownerOf({ apiVersion, kind, metadata }: KubernetesObject) {
  const { name, uid = "" } = metadata;
  return [{ apiVersion, kind, name, uid, controller: true }];
}

function isOwned({ metadata }: KubernetesObject, owner: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** The HostedControlPlane with what it has from its HostedCluster. */
function copyAction({ cluster, controlPlane }: Context): readonly Action[] {
  const { hostedControlPlane } = controlPlane;
  if (!hostedControlPlane) return [];
  const { annotations, spec } = copiesOf(cluster.object);
  const { changeable } = differingFields(cluster.object, hostedControlPlane);
  const defined = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const without = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const present = hostedControlPlane.metadata.annotations ?? {};
  const presentSpec = isRecord(hostedControlPlane.spec) ? hostedControlPlane.spec : {};
  const wanted = Object.fromEntries(changeable.map((field) => [field, spec[field]]));
  const copied = {
    annotations: { ...without(present, Object.keys(annotations)), ...defined(annotations) },
    spec: { ...without(presentSpec, changeable), ...defined(wanted) },
  };
  if (isSameJson(copied, { annotations: present, spec: presentSpec })) return [];
  const object = {
    ...hostedControlPlane,
    metadata: { ...hostedControlPlane.metadata, annotations: strings(copied.annotations) },
    spec: copied.spec,
  };
  return [{ verb: "update", object, reason: "annotations and fields are copied from the HostedCluster" }];
}

/** What the HostedControlPlane has otherwise than its HostedCluster, and keeps for good. */
export function immutableIssues({ cluster, controlPlane }: Context): readonly Issue[] {
  const { hostedControlPlane } = controlPlane;
  if (!hostedControlPlane) return [];
  return differingFields(cluster.object, hostedControlPlane).immutable.map(
    (field): Issue => ({
      code: "ControlPlaneImmutable",
      severity: "error",
      object: issueObject(cluster.object),
      path: `spec.${field}`,
      value: Object(cluster.object.spec)[field],
      message: `The HostedControlPlane has another spec.${field}, and its API lets nobody change it.`,
      remedy: `Make the HostedControlPlane anew with the spec.${field} of its HostedCluster.`,
    }),
  );
}

function strings(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
}

/** The operator's Deployment with the overrides of this hosted cluster alone: others' mirrors do not restart it. */
function overridesAction({ cluster, controlPlane, mirrors, payload }: Context): readonly Action[] {
  const { operator } = controlPlane;
  if (!operator) return [];
  const { text, overrides } = overridesOf(mirrors, imagesOf(cluster, repositoriesIn(payload)));
  if ((overridesTextOf(operator) ?? "") === text) return [];
  const reason = `${overrides.size} sources of the management cluster's mirrors concern it`;
  return [{ verb: "update", object: withOverridesText(operator, text), reason }];
}

/** Writes, changes or removes an object that belongs to the control plane; one that is somebody else's stays. */
function ownedAction(
  present: KubernetesObject | undefined,
  wanted: KubernetesObject | undefined,
  owner: KubernetesObject,
  contentOf: (object: KubernetesObject) => unknown,
  reason: string,
): readonly Action[] {
  if (!wanted)
    return present && isOwned(present, owner)
      ? [{ verb: "delete", object: present, reason: `${reason} is not needed` }]
      : [];
  if (!present) return [{ verb: "create", object: wanted, reason }];
  const labels = { ...present.metadata.labels, ...wanted.metadata.labels };
  const isSame =
    isOwned(present, owner) &&
    isSameJson(contentOf(present), contentOf(wanted)) &&
    isSameJson(labels, present.metadata.labels ?? {});
  if (isSame) return [];
  const { ownerReferences = [] } = isOwned(present, owner) ? present.metadata : wanted.metadata;
  const metadata = { ...present.metadata, labels, ownerReferences };
  const { spec, data } = wanted;
  return [
    {
      verb: "update",
      object: {
        ...present,
        metadata,
        ...(spec === undefined ? {} : { spec }),
        ...(data === undefined ? {} : { data }),
      },
      reason,
    },
  ];
}

/** The ImageStream that imports the catalogs by tag; not where images are given by digest, or run in the guest. */
function imageStreamAction(
  one: Context,
  owner: KubernetesObject,
  images: ImportedCatalogs,
): readonly Action[] {
  const { controlPlane, cluster } = one;
  if (!controlPlane.hasImageStreams || images === "unknown") return [];
  const wanted: KubernetesObject | undefined =
    images.length === 0
      ? undefined
      : {
          apiVersion: "image.openshift.io/v1",
          kind: "ImageStream",
          metadata: {
            name: imageStreamName,
            namespace: cluster.controlPlaneNamespace,
            ownerReferences: ownerOf(owner),
          },
          spec: imageStreamSpec(images, controlPlane.imageStream?.spec),
        };
  return ownedAction(
    controlPlane.imageStream,
    wanted,
    owner,
    ({ spec }) => spec,
    "the stream of the catalogs",
  );
}

/** The catalogs that an ImageStream is to import; `unknown` where registries did not tell, and it stays as it is. */
export type ImportedCatalogs = readonly CatalogImage[] | "unknown";

/** What a manifest means, whatever else an encoder has put into it. */
function meaningOf({ apiVersion, kind, metadata, spec }: KubernetesObject): unknown {
  const { name, labels = {} } = metadata;
  return { apiVersion, kind, name, labels, spec };
}

/**
 * The text of the nodes' mirrors. HyperShift hashes it as it is written, and another hash rolls every node: what means
 * the same stays as it is, and new text has the form in which HyperShift would write it.
 */
function mirrorText(present: KubernetesObject | undefined, wanted: KubernetesObject): string {
  const { config } = Object(present?.data);
  const [found, ...others] =
    typeof config === "string" ? readManifests(config, ignitionConfigName).objects : [];
  const isSame = found && others.length === 0 && isSameJson(meaningOf(found.object), meaningOf(wanted));
  if (isSame) return config;
  const { apiVersion, kind, metadata, spec } = wanted;
  const { name, labels = {} } = metadata;
  const { imageDigestMirrors } = Object(spec);
  const entries = imageDigestMirrors.map(({ source, mirrors }: ImageContentSource) => ({ mirrors, source }));
  return writeManifest({
    apiVersion,
    kind,
    metadata: { labels, name },
    spec: { imageDigestMirrors: entries },
    status: {},
  });
}

/** The ConfigMap by which new nodes get the mirrors of the guest. */
function ignitionAction(one: Context, owner: KubernetesObject): readonly Action[] {
  const { cluster, controlPlane } = one;
  const wanted: KubernetesObject | undefined =
    cluster.imageContentSources.length === 0
      ? undefined
      : {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: {
            name: ignitionConfigName,
            namespace: cluster.controlPlaneNamespace,
            labels: ignitionLabel,
            ownerReferences: ownerOf(owner),
          },
          data: { config: mirrorText(controlPlane.ignitionConfig, guestMirrorSet(one)) },
        };
  return ownedAction(controlPlane.ignitionConfig, wanted, owner, ({ data }) => data, "the nodes' mirrors");
}

/** The settings of the control plane that depend on capabilities; what else is in its files belongs to others. */
function settingActions({ cluster, controlPlane, traces }: Context): readonly Action[] {
  if (!traces) return [];
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  const choice = { disabled, platform: traces.platform, isRegistryRemoved: isRegistryRemoved(traces) };
  const which = disabled.length > 0 ? `${disabled.join(", ")} disabled` : "nothing disabled";
  return controlPlane.settings.flatMap((present): Action[] => {
    const object = withSettings(present, choice);
    const reason = `the settings of a cluster with ${which}`;
    return object === present ? [] : [{ verb: "update", object, reason }];
  });
}

/** Own mode, on the hub: what the control plane of a hosted cluster is to have. */
export function planOwnedControlPlane(one: Context, images: ImportedCatalogs): readonly Action[] {
  const { hostedControlPlane } = one.controlPlane;
  if (!hostedControlPlane) return [];
  return [
    ...copyAction(one),
    ...overridesAction(one),
    ...imageStreamAction(one, hostedControlPlane, images),
    ...ignitionAction(one, hostedControlPlane),
    ...settingActions(one),
  ];
}
