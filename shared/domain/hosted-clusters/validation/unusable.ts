import { type Issue, issueObject } from "../../issue.ts";
import { goQuote } from "../../mirrors/go-quote.ts";
import { isMirror, isSource } from "../../mirrors/patterns.ts";
import { formatRemedy } from "../../mirrors/remedies.ts";
import type { HostedCluster } from "../hosted-cluster.ts";

type Warning = Pick<Issue, "code" | "path" | "value" | "message" | "remedy">;

const prefix = "hypershift.openshift.io/";
const annotationPath = (name: string) => `metadata.annotations[${prefix}${name}]`;

const catalogImages = ["certified-operators", "community-operators", "redhat-operators"].map(
  (catalog) => `${catalog}-catalog-image`,
);

function contentSources({ imageContentSources }: HostedCluster): readonly Warning[] {
  const seen = new Map<string, number>();
  return imageContentSources.flatMap(({ source, mirrors }, index) => {
    const path = `spec.imageContentSources[${index}]`;
    const warnings: Warning[] = [];
    const before = seen.get(source);
    if (before === undefined) seen.set(source, index);
    else
      warnings.push({
        code: "DuplicateSource",
        path: `${path}.source`,
        value: source,
        message: `source ${goQuote(source)} is in spec.imageContentSources[${before}] already`,
        remedy: "Put all mirrors of a source into one entry, so that their order is plain.",
      });
    if (!isSource(source))
      warnings.push({
        code: "InvalidSource",
        path: `${path}.source`,
        value: source,
        message: `the API server accepts source ${goQuote(source)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("source", source),
      });
    for (const [at, mirror] of mirrors.entries()) {
      if (isMirror(mirror)) continue;
      warnings.push({
        code: "InvalidMirror",
        path: `${path}.mirrors[${at}]`,
        value: mirror,
        message: `the API server accepts mirror ${goQuote(mirror)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("mirror", mirror),
      });
    }
    if (mirrors.length === 0)
      warnings.push({
        code: "NoMirrors",
        path: `${path}.mirrors`,
        value: [],
        message: `source ${goQuote(source)} has no mirrors, so the entry does nothing`,
        remedy: "List mirrors, or remove the entry.",
      });
    return warnings;
  });
}

function catalogAnnotations({ annotations, olmCatalogPlacement }: HostedCluster): readonly Warning[] {
  const warnings: Warning[] = [];
  const given = catalogImages.flatMap((name) => {
    const value = annotations[prefix + name];
    return value ? [{ name, value }] : [];
  });
  const marketplace = annotations[`${prefix}redhat-marketplace-catalog-image`];
  if (marketplace)
    warnings.push({
      code: "NoEffect",
      path: annotationPath("redhat-marketplace-catalog-image"),
      value: marketplace,
      message: "nobody reads this annotation: the catalog redhat-marketplace is gone",
      remedy: "Remove it.",
    });
  if (given.length > 0 && olmCatalogPlacement === "guest") {
    for (const { name, value } of given)
      warnings.push({
        code: "NoEffect",
        path: annotationPath(name),
        value,
        message: "catalog images of annotations count with the placement management alone, and this is guest",
        remedy:
          "Remove it, or give the guest's catalog sources another registry by the overrides annotation.",
      });
    return warnings;
  }
  for (const { name, value } of given) {
    if (value.includes("@sha256:")) continue;
    warnings.push({
      code: "CatalogImageWithoutDigest",
      path: annotationPath(name),
      value,
      message: "images for OLM catalogs should be referenced only by digest",
      remedy:
        "Write the image with @sha256: and its digest; until then no catalog of this cluster is updated.",
    });
  }
  const missing = catalogImages.filter((name) => !annotations[prefix + name]);
  if (given.length > 0 && missing.length > 0)
    warnings.push({
      code: "CatalogImagesIncomplete",
      path: "metadata.annotations",
      value: missing.map((name) => prefix + name),
      message:
        "if OLM catalog images are overridden, all the values for the 3 default catalogs should be provided",
      remedy: `Add ${missing.join(" and ")}, or remove the others; until then no catalog of this cluster is updated.`,
    });
  return warnings;
}

const usedKeys = ["registry.redhat.io/redhat", "registry.redhat.io"];

function catalogOverrides({ annotations }: HostedCluster): readonly Warning[] {
  const name = "olm-catalogs-is-registry-overrides";
  const text = annotations[prefix + name];
  if (!text || text === "=") return [];
  const path = annotationPath(name);
  const keys = new Set<string>();
  const warnings: Warning[] = [];
  for (const pair of text.split(",")) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(at, 0));
    if (at <= 0 || at === pair.length - 1)
      warnings.push({
        code: "OverrideDropped",
        path,
        value: pair,
        message: `${goQuote(pair)} is no pair SOURCE=MIRROR, and is passed over without a word`,
        remedy: "Write SOURCE=MIRROR pairs with commas between them.",
      });
    else if (!usedKeys.includes(key))
      warnings.push({
        code: "OverrideIgnored",
        path,
        value: pair,
        message: `HyperShift looks for the sources ${usedKeys.join(" and ")} alone, and ignores ${goQuote(key)}`,
        remedy: `Write ${usedKeys[0]}=REGISTRY/NAMESPACE.`,
      });
    else keys.add(key);
  }
  if (keys.size > 1)
    warnings.push({
      code: "OverrideOrderRandom",
      path,
      value: text,
      message: `with both ${usedKeys.join(" and ")} it is a matter of chance which of them HyperShift takes`,
      remedy: `Keep ${usedKeys[0]} alone.`,
    });
  return warnings;
}

/** What the API server accepts in a HostedCluster and nothing can use; every one of these is a warning. */
export function unusableValues(cluster: HostedCluster): readonly Issue[] {
  const object = issueObject(cluster.object);
  return [...contentSources(cluster), ...catalogAnnotations(cluster), ...catalogOverrides(cluster)].map(
    (warning) => ({ ...warning, severity: "warning", object }),
  );
}
