import { redactForeign } from "../../credentials/redact.ts";
import { fieldIssue, type Issue, wrongType } from "../../issues/issue.ts";
import { fieldsOf, isRecord, isStringList, textOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { versionInTag } from "../../releases/release.ts";
import { readVersionHistory, type VersionHistory } from "../../releases/version-history.ts";

/** One entry of `spec.imageContentSources`: mirrors for the nodes of the hosted cluster. */
export type ImageContentSource = Readonly<{ source: string; mirrors: readonly string[] }>;

/** Where the catalogs of the Operator Lifecycle Manager run. */
export type CatalogPlacement = "management" | "guest";

/** The images and capabilities of a HostedCluster. Unreadable fields have their defaults. */
export type HostedCluster = Readonly<{
  object: KubernetesObject;
  namespace: string;
  name: string;
  /** The namespace of its HostedControlPlane. */
  controlPlaneNamespace: string;
  /** The release of the nodes, `spec.release.image`; empty if it is missing. */
  releaseImage: string;
  /** The release of the control plane if it differs from the nodes'. */
  controlPlaneReleaseImage: string | undefined;
  /** The version of the newest completed update; undefined until the cluster is installed. */
  reachedVersion: string | undefined;
  /** The same, else the version that is being installed, from the status or the tag of the release image. */
  version: string | undefined;
  /** The version of the control plane's release: found likewise, else the same as `version`. */
  controlPlaneVersion: string | undefined;
  /** Other versions whose control plane may run too: of updates that have begun or are requested, and of the nodes. */
  begunVersions: readonly string[];
  annotations: Readonly<Record<string, string>>;
  /** `spec.capabilities` as written; undefined if absent. */
  capabilities: unknown;
  imageContentSources: readonly ImageContentSource[];
  olmCatalogPlacement: CatalogPlacement;
  /** `spec.configuration.operatorhub.disableAllDefaultSources`. */
  disablesDefaultCatalogs: boolean;
  /** As written, not validated. */
  pausedUntil: string | undefined;
  /** `status.conditions` as the operators wrote them. */
  conditions: readonly unknown[];
}>;

/** A HostedCluster, and issues of its unreadable fields. */
export type ReadHostedCluster = Readonly<{ cluster: HostedCluster; issues: readonly Issue[] }>;

/**
 * Returns the namespace of a hosted cluster's control plane: dots of the name become dashes, so that `a.b` and
 * `a-b` share one, and nothing is shortened. Behaviour: HyperShift's HostedControlPlaneNamespace.
 */
export function controlPlaneNamespace(namespace: string, name: string): string {
  // Without its dots a token would not be recognised any more.
  return `${namespace}-${redactForeign(name).replaceAll(".", "-")}`;
}

/** Reads fields of one object; a value of the wrong type becomes an issue and is read as missing. */
class FieldReader {
  readonly issues: Issue[] = [];
  readonly #object: KubernetesObject;

  constructor(object: KubernetesObject) {
    this.#object = object;
  }

  refuse(path: string, value: unknown, wanted: string): void {
    this.issues.push(wrongType(this.#object, path, value, wanted));
  }

  record(path: string, value: unknown): Readonly<Record<string, unknown>> {
    if (value === undefined || value === null) return {};
    if (isRecord(value)) return value;
    this.refuse(path, value, "an object");
    return {};
  }

  text(path: string, value: unknown): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    this.refuse(path, value, "a string");
    return undefined;
  }

  list(path: string, value: unknown, wanted: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.refuse(path, value, wanted);
    return [];
  }
}

function readContentSources(fields: FieldReader, value: unknown): readonly ImageContentSource[] {
  const path = "spec.imageContentSources";
  return fields.list(path, value, "a list of sources").flatMap((item, index): ImageContentSource[] => {
    const entry = fields.record(`${path}[${index}]`, item);
    const mirrors = entry.mirrors ?? [];
    if (!isStringList(mirrors)) {
      fields.refuse(`${path}[${index}].mirrors`, mirrors, "a list of strings");
      return [];
    }
    return [{ source: fields.text(`${path}[${index}].source`, entry.source) ?? "", mirrors }];
  });
}

function readPlacement(fields: FieldReader, value: unknown): CatalogPlacement {
  if (value === "guest" || value === "management") return value;
  if (value !== undefined && value !== null)
    fields.refuse("spec.olmCatalogPlacement", value, '"management" or "guest"');
  return "management";
}

function historyIn(status: unknown, field: "version" | "controlPlaneVersion"): VersionHistory {
  return readVersionHistory(fieldsOf(fieldsOf(status)[field]).history);
}

/** Returns the version of a release image; undefined if it is unknown. */
type VersionOf = (image: string) => string | undefined;

type Images = Readonly<{ releaseImage: string; controlPlaneReleaseImage: string | undefined }>;
type Versions = Pick<HostedCluster, "reachedVersion" | "version" | "controlPlaneVersion" | "begunVersions">;

/** The version of the requested release, if only a digest names its image. */
function desiredVersion(status: unknown): string | undefined {
  const { desired } = fieldsOf(fieldsOf(status).version);
  return textOf(fieldsOf(desired).version);
}

/** What an update desires is never the version of a cluster that has completed another. */
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

function readImage(fields: FieldReader, path: string, release: unknown): string | undefined {
  return fields.text(`${path}.image`, fields.record(path, release).image);
}

function missingRelease(object: KubernetesObject): Issue {
  return fieldIssue(object, "spec.release.image", null, {
    code: "MissingField",
    message: "The HostedCluster names no release image",
    remedy: "Write spec.release.image; nothing can be looked up without it.",
  });
}

/** Reads a HostedCluster; never throws. A missing or mistyped field has its default and an issue. */
export function readHostedCluster(
  object: KubernetesObject,
  versionOf: VersionOf = versionInTag,
): ReadHostedCluster {
  const { metadata, status } = object;
  const fields = new FieldReader(object);
  const spec = fields.record("spec", object.spec);
  const namespace = metadata.namespace ?? "default";
  const releaseImage = readImage(fields, "spec.release", spec.release);
  const isReported = fields.issues.some(({ path }) => path === "spec.release.image");
  if (!releaseImage && !isReported) fields.issues.push(missingRelease(object));
  const configuration = fields.record("spec.configuration", spec.configuration);
  const operatorHub = fields.record("spec.configuration.operatorhub", configuration.operatorhub);
  const controlPlaneReleaseImage = readImage(fields, "spec.controlPlaneRelease", spec.controlPlaneRelease);
  const conditions = isRecord(status) ? fields.list("status.conditions", status.conditions, "a list") : [];
  const cluster: HostedCluster = {
    object,
    namespace,
    name: metadata.name,
    controlPlaneNamespace: controlPlaneNamespace(namespace, metadata.name),
    releaseImage: releaseImage ?? "",
    controlPlaneReleaseImage,
    ...readVersions(status, { releaseImage: releaseImage ?? "", controlPlaneReleaseImage }, versionOf),
    annotations: metadata.annotations ?? {},
    capabilities: spec.capabilities ?? undefined,
    imageContentSources: readContentSources(fields, spec.imageContentSources),
    olmCatalogPlacement: readPlacement(fields, spec.olmCatalogPlacement),
    disablesDefaultCatalogs: operatorHub.disableAllDefaultSources === true,
    pausedUntil: fields.text("spec.pausedUntil", spec.pausedUntil),
    conditions,
  };
  return { cluster, issues: fields.issues };
}
