import { readField } from "../../issues/field.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { parseGoTime } from "../../kubernetes/json/go-time.ts";
import { fieldsOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readVersionHistory, type VersionHistory } from "../../openshift/releases/cluster-releases.ts";
import { versionInTag } from "../../openshift/releases/release.ts";
import { printable } from "../../text/redact.ts";
import { hostedClusterSpec } from "./hosted-cluster-spec.ts";

/** One entry of `spec.imageContentSources`: mirrors for the nodes of the hosted cluster. */
export type ImageContentSource = Readonly<{ source: string; mirrors: readonly string[] }>;

/** Where the catalogs of the Operator Lifecycle Manager run: `management` means in the control plane. */
export type CatalogPlacement = "management" | "guest";

/** What hubrelay reads from a HostedCluster. Invalid fields have their defaults. */
export type HostedCluster = Readonly<{
  object: KubernetesObject;
  namespace: string;
  name: string;
  controlPlaneNamespace: string;
  /** `spec.release.image`, the release of the nodes; empty if the field is missing. */
  releaseImage: string;
  /** `spec.controlPlaneRelease.image`; undefined if not set: the control plane then has the nodes' release. */
  controlPlaneReleaseImage: string | undefined;
  /** The version of the newest completed update; undefined until the cluster is installed. */
  reachedVersion: string | undefined;
  /** `reachedVersion`, or the version of the unfinished first installation; undefined if unknown. */
  version: string | undefined;
  /** The control plane's version from the status or the tag of `controlPlaneReleaseImage`; otherwise `version`. */
  controlPlaneVersion: string | undefined;
  /** Other versions that the control plane may run: the nodes' version, and those of requested and begun updates. */
  begunVersions: readonly string[];
  annotations: Readonly<Record<string, string>>;
  capabilities: unknown;
  imageContentSources: readonly ImageContentSource[];
  olmCatalogPlacement: CatalogPlacement;
  disablesDefaultCatalogs: boolean;
  pausedUntil: string | undefined;
}>;

type ReadHostedCluster = Readonly<{ cluster: HostedCluster; issues: readonly Issue[] }>;

/**
 * Returns a control plane's namespace. Dots become dashes, so that `a.b` and `a-b` get the same namespace; long names
 * are not shortened. Behaviour: HyperShift's HostedControlPlaneNamespace.
 */
export function controlPlaneNamespace(namespace: string, name: string): string {
  // Credentials must be redacted before dots are replaced: they are recognized by their dots.
  return `${namespace}-${printable(name).replaceAll(".", "-")}`;
}

function historyIn(status: unknown, field: "version" | "controlPlaneVersion"): VersionHistory {
  return readVersionHistory(fieldsOf(fieldsOf(status)[field]).history);
}

type VersionOf = (image: string) => string | undefined;

type Images = Readonly<{ releaseImage: string; controlPlaneReleaseImage: string | undefined }>;
type Versions = Pick<HostedCluster, "reachedVersion" | "version" | "controlPlaneVersion" | "begunVersions">;

/** Returns the version of the requested release. It comes from the status, because a release image may have no tag. */
function desiredVersion(status: unknown): string | undefined {
  const { desired } = fieldsOf(fieldsOf(status).version);
  return textOf(fieldsOf(desired).version);
}

function readVersions(
  status: unknown,
  { releaseImage, controlPlaneReleaseImage }: Images,
  versionOf: VersionOf,
): Versions {
  const nodes = historyIn(status, "version");
  const controlPlane = historyIn(status, "controlPlaneVersion");
  const requested = versionOf(releaseImage) ?? desiredVersion(status);
  const requestedControlPlane = versionOf(controlPlaneReleaseImage ?? "");
  const version = nodes.completed ?? nodes.begun[0] ?? requested;
  const controlPlaneVersion =
    controlPlane.completed ?? controlPlane.begun[0] ?? requestedControlPlane ?? version;
  const others = [...controlPlane.begun, ...nodes.begun, requestedControlPlane ?? requested, version].filter(
    (one) => one !== undefined,
  );
  return {
    reachedVersion: nodes.completed,
    version,
    controlPlaneVersion,
    begunVersions: [...new Set(others)].filter((one) => one !== controlPlaneVersion),
  };
}

function missingRelease(object: KubernetesObject): Issue {
  return fieldIssue(object, "spec.release.image", null, {
    code: "MissingField",
    message: "The HostedCluster names no release image",
    remedy: "Write spec.release.image; nothing can be looked up without it.",
  });
}

/** Reads a HostedCluster; never throws. A missing or mistyped field gets its default and an issue. */
export function readHostedCluster(
  object: KubernetesObject,
  versionOf: VersionOf = versionInTag,
): ReadHostedCluster {
  const { metadata, status } = object;
  const { value: spec = {}, issues } = readField(object, "spec", object.spec ?? undefined, hostedClusterSpec);
  const namespace = metadata.namespace ?? "default";
  const { image: releaseImage = "" } = spec.release ?? {};
  const controlPlaneReleaseImage = spec.controlPlaneRelease?.image;
  const isReported = issues.some(({ path }) => path === "spec.release.image");
  const missing = releaseImage === "" && !isReported ? [missingRelease(object)] : [];
  const cluster: HostedCluster = {
    object,
    namespace,
    name: metadata.name,
    controlPlaneNamespace: controlPlaneNamespace(namespace, metadata.name),
    releaseImage,
    controlPlaneReleaseImage,
    ...readVersions(status, { releaseImage, controlPlaneReleaseImage }, versionOf),
    annotations: metadata.annotations ?? {},
    capabilities: spec.capabilities,
    imageContentSources: spec.imageContentSources ?? [],
    olmCatalogPlacement: spec.olmCatalogPlacement ?? "management",
    disablesDefaultCatalogs: spec.configuration?.operatorhub?.disableAllDefaultSources === true,
    pausedUntil: spec.pausedUntil,
  };
  return { cluster, issues: [...issues, ...missing] };
}

type Pause = Readonly<{ isPaused: boolean; until?: Date }>;

/** Reads `spec.pausedUntil` as HyperShift does: only `true` or a future time pauses the cluster. */
export function pauseOf(pausedUntil: string | undefined, now: Date): Pause {
  if (pausedUntil === "true" || pausedUntil === "True") return { isPaused: true };
  const until = pausedUntil === undefined ? undefined : parseGoTime(pausedUntil);
  return until && until > now ? { isPaused: true, until } : { isPaused: false };
}
