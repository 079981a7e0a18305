import type { ImageReference } from "../../images/image-reference.ts";
import { atMirror } from "../../images/scope.ts";
import { type AnnotationProblem, annotationIssue, type Issue } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "../overrides/environment-text.ts";
import {
  catalogOverridesAnnotation,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  catalogTags,
  overrideKeys,
} from "./default-catalogs.ts";
import { annotationImages } from "./olm-catalogs.ts";

/** A catalog in a mirror. `image` has a tag, and `digest` is the digest of this image. */
export type MirroredCatalog = Readonly<{ catalog: DefaultCatalog; image: string; digest: string }>;

/** The catalog annotations of a HostedCluster, by name. */
export type CatalogAnnotations = Readonly<Record<string, string>>;

/** Returns a catalog's images in mirrors, with tags, newest release first. `mirrorsOf` lists an image's mirrors. */
export function mirroredCandidates(
  { repository }: DefaultCatalog,
  release: Release,
  mirrorsOf: (image: ImageReference) => readonly string[],
): readonly string[] {
  const own = `${catalogRegistry}/${repository}`;
  return catalogTags(release).flatMap((tag) => mirrorsOf({ repository: own, tag }));
}

function split(image: string): Readonly<{ repository: string; tag: string }> {
  const colon = image.lastIndexOf(":");
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) };
}

/** Returns registry and namespace; undefined if the catalog has another name in the mirror. */
function namespaceOf({ catalog, image }: MirroredCatalog): string | undefined {
  const ending = `/${catalog.repository}`;
  const { repository } = split(image);
  const namespace = repository.endsWith(ending) ? repository.slice(0, -ending.length) : "";
  return namespace.includes("/") ? namespace : undefined;
}

/**
 * Returns the annotations for catalogs in mirrors: each image by digest, and the overrides, from which HyperShift
 * computes addresses even if images are given. `found` must have all catalogs: HyperShift refuses an incomplete set.
 */
export function catalogAnnotations(found: readonly MirroredCatalog[]): CatalogAnnotations {
  const images = found.map(
    ({ catalog, image, digest }) =>
      [catalog.imageAnnotation, `${split(image).repository}@${digest}`] as const,
  );
  const namespaces = [...new Set(found.flatMap((one) => namespaceOf(one) ?? []))];
  const overrides = namespaces.map((namespace) => `${catalogRegistry}=${namespace}`).join(",");
  return {
    ...Object.fromEntries(images),
    ...(overrides ? { [catalogOverridesAnnotation]: overrides } : {}),
  };
}

/** The names of the catalog annotations. hubrelay changes all of them together. */
export const catalogAnnotationNames: readonly string[] = [
  catalogOverridesAnnotation,
  ...knownCatalogs.map(({ imageAnnotation }) => imageAnnotation),
];

/** Warns about mirrored catalogs that are older than the release, or that have another name in the mirror. */
export function mirroredIssues(
  { object, olmCatalogPlacement }: HostedCluster,
  release: Release,
  found: readonly MirroredCatalog[],
): readonly Issue[] {
  const [newest = ""] = catalogTags(release);
  const warn = (problem: AnnotationProblem) =>
    annotationIssue(object, catalogsFromMirrorsAnnotation, { ...problem, severity: "warning" });
  return found.flatMap((one): Issue[] => {
    const { catalog, image } = one;
    const { tag } = split(image);
    const renamed = namespaceOf(one) === undefined;
    return [
      ...(tag === newest
        ? []
        : [
            warn({
              code: "OlderCatalog",
              value: image,
              message:
                olmCatalogPlacement === "guest"
                  ? sentence`The mirror has ${catalog.name} for ${tag} and not for ${newest}, which is what HyperShift takes in the guest without checking`
                  : sentence`The mirror has ${catalog.name} for ${tag} and not for ${newest}`,
              remedy: sentence`Mirror ${catalog.repository}:${newest}.`,
            }),
          ]),
      ...(renamed
        ? [
            warn({
              code: "RenamedCatalog",
              value: image,
              message: sentence`The mirror has ${catalog.name} under a name other than ${catalog.repository}, which no override can express`,
              remedy: sentence`Mirror it as …/${catalog.repository}.`,
            }),
          ]
        : []),
    ];
  });
}

/**
 * Warns about catalog mirrors that HyperShift does not use because no annotation names them.
 * Source: section “OLM Catalogs” of the enhancement about registry overrides in hosted clusters.
 */
export function untakenMirrors(cluster: HostedCluster, overrides: RegistryOverrides): readonly Issue[] {
  const isNamed = [catalogOverridesAnnotation, catalogsFromMirrorsAnnotation].some((name) =>
    ownValue(cluster.annotations, name),
  );
  if (isNamed || cluster.disablesDefaultCatalogs || annotationImages(cluster).state !== "absent") return [];
  const sources = overrideKeys.filter((source) => overrides.has(source));
  const pairs = sources.flatMap((source) =>
    (overrides.get(source) ?? []).map(
      (mirror) => `${catalogRegistry}=${atMirror(catalogRegistry, source, mirror)}`,
    ),
  );
  if (pairs.length === 0) return [];
  return [
    annotationIssue(cluster.object, catalogOverridesAnnotation, {
      code: "CatalogMirrorsNotTaken",
      severity: "warning",
      message: sentence`HyperShift does not take the management cluster's mirrors of ${sources.join(" and ")} for the catalogs of hosted clusters`,
      remedy: sentence`Set the annotation to ${pairs.join(",")}, if the mirrors have the catalogs.`,
    }),
  ];
}
