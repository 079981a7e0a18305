import { isRegistryOmitted } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { imagesOf, overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import { isRegistryRemoved } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import { withSettings } from "#shared/domain/hosted-clusters/disabled-capabilities/settings.ts";
import {
  imageStreamName,
  imageStreamSpec,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import type { CatalogImage } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { refusedContentSources } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isSameJson, ownValue, textOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests, writeManifest } from "#shared/domain/manifests/manifests.ts";
import { ensureObject, mergeInto } from "#shared/domain/plan/ensure-object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { repositoriesIn } from "../snapshot/find-payload.ts";
import { ignitionConfigName } from "../well-known-names.ts";
import type { Context } from "./cluster-plan.ts";
import { copiesOf, differingFields, guestMirrorSet, guestMirrors, withOverridesText } from "./desired.ts";

const ignitionLabel = { "hypershift.openshift.io/core-ignition-config": "true" };

/** The reference has no `blockOwnerDeletion`, which would need a permission for the owner's finalizers. */
function ownerOf({ apiVersion, kind, metadata }: KubernetesObject) {
  const { name, uid = "" } = metadata;
  return [{ apiVersion, kind, name, uid, controller: true }];
}

function isOwned({ metadata }: KubernetesObject, owner: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

function withFields<Value>(
  fields: Readonly<Record<string, Value>>,
  wanted: Readonly<Record<string, Value | undefined>>,
): Readonly<Record<string, Value>> {
  const entries = Object.entries({ ...fields, ...wanted });
  return Object.fromEntries(entries.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

function copyAction({ cluster }: Context, hostedControlPlane: KubernetesObject): readonly Action[] {
  const wanted = copiesOf(cluster.object);
  const { changeable } = differingFields(cluster.object, hostedControlPlane);
  const { annotations: present = {} } = hostedControlPlane.metadata;
  const presentSpec = fieldsOf(hostedControlPlane.spec);
  const changed = Object.fromEntries(changeable.map((field) => [field, ownValue(wanted.spec, field)]));
  const annotations = withFields(present, wanted.annotations);
  const spec = withFields(presentSpec, changed);
  return ensureObject(
    hostedControlPlane,
    { ...hostedControlPlane, metadata: { ...hostedControlPlane.metadata, annotations }, spec },
    "annotations and fields are copied from the HostedCluster",
  );
}

/** Returns an issue for each immutable field of the HostedControlPlane that differs from its HostedCluster. */
export function immutableIssues({ cluster, controlPlane }: Context): readonly Issue[] {
  const { hostedControlPlane } = controlPlane;
  if (!hostedControlPlane) return [];
  return differingFields(cluster.object, hostedControlPlane).immutable.map((field) =>
    fieldIssue(cluster.object, `spec.${field}`, ownValue(fieldsOf(cluster.object.spec), field), {
      code: "ControlPlaneImmutable",
      message: sentence`The HostedControlPlane has a different spec.${field}, which is immutable.`,
      remedy: sentence`Recreate the HostedControlPlane with the spec.${field} of its HostedCluster.`,
    }),
  );
}

/** Only overrides for this cluster's images are written, because each change restarts the operator. */
function overridesAction({ cluster, controlPlane, hubOverrides, payload }: Context): readonly Action[] {
  const { operator } = controlPlane;
  if (!operator) return [];
  const { text, overrides } = overridesOf(hubOverrides, imagesOf(cluster, repositoriesIn(payload)));
  const reason = sentence`${counted(overrides.size, "source")} of the management cluster's mirrors ${overrides.size === 1 ? "applies" : "apply"} to it`;
  return ensureObject(operator, withOverridesText(operator, text), reason);
}

function ownedAction(
  present: KubernetesObject | undefined,
  wanted: KubernetesObject | undefined,
  owner: KubernetesObject,
  reason: string,
): readonly Action[] {
  if (!wanted)
    return present && isOwned(present, owner)
      ? [{ verb: "delete", object: present, reason: sentence`${reason} is not needed` }]
      : [];
  return ensureObject(present, mergeInto(present, wanted), reason);
}

function imageStreamAction(
  context: Context,
  owner: KubernetesObject,
  images: ImportedCatalogs,
): readonly Action[] {
  const { controlPlane, cluster } = context;
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
  return ownedAction(controlPlane.imageStream, wanted, owner, "the stream of the catalogs");
}

/** The catalogs that an ImageStream imports. With `unknown`, the stream stays unchanged. */
export type ImportedCatalogs = readonly CatalogImage[] | "unknown";

function meaningOf({ apiVersion, kind, metadata, spec }: KubernetesObject): unknown {
  const { name, labels = {} } = metadata;
  return { apiVersion, kind, name, labels, spec };
}

/** HyperShift hashes this text, and another hash causes a rollout of all nodes. */
function mirrorText(context: Context): string {
  const wanted = guestMirrorSet(context);
  const config = textOf(fieldsOf(context.controlPlane.ignitionConfig?.data).config);
  const [found, ...others] = config === undefined ? [] : readManifests(config, ignitionConfigName).objects;
  const isSame = found && others.length === 0 && isSameJson(meaningOf(found.object), meaningOf(wanted));
  if (config !== undefined && isSame) return config;
  const { apiVersion, kind, metadata } = wanted;
  const { name, labels = {} } = metadata;
  const entries = guestMirrors(context).map(({ source, ...rest }) => ({ ...rest, source }));
  return writeManifest({
    apiVersion,
    kind,
    metadata: { labels, name },
    spec: { imageDigestMirrors: entries },
    status: {},
  });
}

function ignitionAction(context: Context, owner: KubernetesObject): readonly Action[] {
  const { cluster, controlPlane } = context;
  if (refusedContentSources(cluster).length > 0) return [];
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
          data: { config: mirrorText(context) },
        };
  return ownedAction(controlPlane.ignitionConfig, wanted, owner, "the nodes' mirrors");
}

function settingActions({ cluster, controlPlane, traces }: Context): readonly Action[] {
  if (!traces) return [];
  const isDisabled = isRegistryOmitted(cluster);
  const choice = {
    isDisabled,
    platform: traces.platform,
    isRegistryRemoved: isRegistryRemoved(traces),
  };
  const reason = `the settings of a cluster ${isDisabled ? "without" : "with"} ImageRegistry`;
  return controlPlane.settings.flatMap((present) =>
    ensureObject(present, withSettings(present, choice), reason),
  );
}

/** Plans the objects of a control plane that hubrelay writes on the hub in own mode. */
export function planOwnedControlPlane(context: Context, images: ImportedCatalogs): readonly Action[] {
  const { hostedControlPlane } = context.controlPlane;
  if (!hostedControlPlane) return [];
  return [
    ...copyAction(context, hostedControlPlane),
    ...overridesAction(context),
    ...imageStreamAction(context, hostedControlPlane, images),
    ...ignitionAction(context, hostedControlPlane),
    ...settingActions(context),
  ];
}
