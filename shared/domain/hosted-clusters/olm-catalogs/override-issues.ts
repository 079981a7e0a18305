import { enclosingScopes } from "../../images/image-scopes.ts";
import { type AnnotationProblem, annotationIssue, type Issue, type Problem } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs } from "../facts/hypershift.ts";
import { decodeOverrides, type RegistryOverrides } from "../overrides/environment-text.ts";
import { isTarget } from "./catalog-registries.ts";
import {
  catalogOverridesAnnotation,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  controlPlaneRelease,
  defaultCatalogsOf,
  fromMirrors,
  isUncertain,
} from "./default-catalogs.ts";

const [registryHost = "", catalogNamespace = ""] = catalogRegistry.split("/");
/** HyperShift ignores all other keys. */
const keysOfHypershift: readonly string[] = [catalogRegistry, registryHost];

/** The sources that can match the address of a catalog. */
function usefulSources(catalogs: readonly DefaultCatalog[]): ReadonlySet<string> {
  return new Set(catalogs.flatMap(({ repository }) => enclosingScopes(`${catalogRegistry}/${repository}`)));
}

function pairIssue(pair: string, useful: ReadonlySet<string>): Problem | undefined {
  const equals = pair.indexOf("=");
  const source = pair.slice(0, Math.max(equals, 0));
  if (source === "" || equals === pair.length - 1)
    return {
      code: "DroppedPair",
      message: sentence`"${pair}" is not source=target and is silently ignored`,
      remedy: "Write both sides, or remove the pair.",
    };
  if (!useful.has(source))
    return {
      code: "UselessOverride",
      message: sentence`No default catalog has an address with "${source}"`,
      remedy: sentence`Write ${keysOfHypershift.join(" or ")}, or remove the pair.`,
    };
  const target = pair.slice(equals + 1);
  if (!isTarget(target))
    return {
      code: "InvalidTarget",
      message: sentence`No catalog's address can begin with "${target}"; where the catalogs run in the control plane, HyperShift finds none of them`,
      remedy: "Write host[:port][/path] in lower case, without scheme, tag and trailing slash.",
    };
  return undefined;
}

/** An image of a catalog that the release does not have. */
function deadImage(cluster: HostedCluster, { name }: DefaultCatalog): Problem {
  return {
    code: "DeadAnnotation",
    message: sentence`This annotation is unused: OpenShift ${controlPlaneRelease(cluster)} has no catalog ${name}`,
    remedy: "Remove it.",
  };
}

/** Only early control planes of the release require the image. */
function missingImage(cluster: HostedCluster, { name, imageAnnotation }: DefaultCatalog): Problem {
  return {
    code: "CatalogsIncomplete",
    message: sentence`Early control planes of ${controlPlaneRelease(cluster)} have the catalog ${name} too and refuse images for only some catalogs`,
    remedy: sentence`Set ${imageAnnotation} as well: control planes without this catalog ignore it.`,
  };
}

/** Reports ineffective values of the catalog annotations, as warnings. */
export function overrideIssues(cluster: HostedCluster): readonly Issue[] {
  const { object, annotations } = cluster;
  const catalogs = defaultCatalogsOf(cluster);
  const useful = usefulSources(catalogs);
  const warn = (annotation: string, problem: Problem) =>
    annotationIssue(object, annotation, { ...problem, severity: "warning" });
  const text = annotations[catalogOverridesAnnotation] ?? "";
  const pairs = text === "" || text === "=" ? [] : text.split(",");
  const found = pairs.flatMap((pair): Issue[] => {
    const about = pairIssue(pair, useful);
    return about ? [warn(catalogOverridesAnnotation, about)] : [];
  });
  const namesImages = catalogs.some(({ imageAnnotation }) => ownValue(annotations, imageAnnotation));
  const images = knownCatalogs.flatMap((catalog): Issue[] => {
    const { imageAnnotation } = catalog;
    if (ownValue(annotations, imageAnnotation))
      return catalogs.includes(catalog) ? [] : [warn(imageAnnotation, deadImage(cluster, catalog))];
    const isMissed =
      namesImages && cluster.controlPlaneVersion !== undefined && isUncertain(catalog, cluster);
    return isMissed ? [warn(imageAnnotation, missingImage(cluster, catalog))] : [];
  });
  return [...found, ...images];
}

/** A target that HyperShift and hubrelay combine into different addresses. */
function readDifferently(source: string, target: string): Problem | undefined {
  if (source !== registryHost || !target.includes("/") || !isTarget(target)) return undefined;
  return {
    code: "ReadDifferently",
    message: sentence`HyperShift takes "${target}" as it is and looks for catalogs in ${target}, hubrelay in ${target}/${catalogNamespace}`,
    remedy: sentence`Write ${catalogRegistry}=${target} or ${catalogRegistry}=${target}/${catalogNamespace}, which both interpret the same way.`,
  };
}

function ignoredSource(source: string, useful: ReadonlySet<string>): Problem | undefined {
  if (!useful.has(source) || keysOfHypershift.includes(source)) return undefined;
  return {
    code: "IgnoredOverride",
    message: sentence`HyperShift ignores the source "${source}": it looks up only ${keysOfHypershift.join(" and ")}`,
    remedy: `Write it for ${catalogRegistry}.`,
  };
}

function ambiguousSources(sources: ReadonlySet<string>): readonly Problem[] {
  if (!keysOfHypershift.every((key) => sources.has(key))) return [];
  return [
    {
      code: "AmbiguousOverrides",
      message: sentence`With both ${keysOfHypershift.join(" and ")} HyperShift decides at random each time whether the latter counts`,
      remedy: `Write only ${catalogRegistry}, with all its mirrors.`,
    },
  ];
}

/** Images in annotations that HyperShift does not read, unless hubrelay maintains them. */
function ignoredImages(
  { annotations, olmCatalogPlacement }: HostedCluster,
  catalogs: readonly DefaultCatalog[],
): readonly string[] {
  if (olmCatalogPlacement !== "guest" || annotations[catalogsFromMirrorsAnnotation] === fromMirrors)
    return [];
  return catalogs
    .map(({ imageAnnotation }) => imageAnnotation)
    .filter((annotation) => ownValue(annotations, annotation));
}

/** Reports what HyperShift itself ignores or interprets differently from hubrelay, as warnings. */
export function ignoredByHypershift(cluster: HostedCluster): readonly Issue[] {
  const { object, annotations } = cluster;
  const catalogs = defaultCatalogsOf(cluster);
  const useful = usefulSources(catalogs);
  const warn = (annotation: string, problem: AnnotationProblem) =>
    annotationIssue(object, annotation, { ...problem, severity: "warning" });
  const decoded: RegistryOverrides =
    decodeOverrides(annotations[catalogOverridesAnnotation] ?? "") ?? new Map();
  const found = [...decoded].flatMap(([source, targets]) => {
    const problems = [
      ignoredSource(source, useful),
      ...targets.map((target) => readDifferently(source, target)),
    ];
    return problems.flatMap((about) =>
      about ? [warn(catalogOverridesAnnotation, { ...about, value: source })] : [],
    );
  });
  return [
    ...found,
    ...ambiguousSources(new Set(decoded.keys())).map((about) => warn(catalogOverridesAnnotation, about)),
    ...ignoredImages(cluster, catalogs).map((annotation) =>
      warn(annotation, {
        code: "IgnoredAnnotation",
        message: "HyperShift does not read this annotation where the catalogs run in the guest",
        remedy: `Write the mirror into ${catalogOverridesAnnotation}.`,
      }),
    ),
  ];
}
