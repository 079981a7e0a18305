import { enclosingScopes } from "../../images/image-scopes.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { decodeOverrides } from "../overrides/environment-text.ts";
import type { RegistryOverrides } from "../overrides/overrides.ts";
import { isTarget } from "./catalog-registries.ts";
import {
  catalogOverridesAnnotation,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  deadMarketplaceAnnotation,
  defaultCatalogs,
  fromMirrors,
} from "./default-catalogs.ts";

const [registryHost = "", catalogNamespace = ""] = catalogRegistry.split("/");
/** The keys that HyperShift looks up; every other one it ignores. */
const keysOfHypershift: readonly string[] = [catalogRegistry, registryHost];
const useful = new Set(
  defaultCatalogs.flatMap(({ repository }) => enclosingScopes(`${catalogRegistry}/${repository}`)),
);

type About = Pick<Issue, "code" | "message" | "remedy">;

function pairIssue(pair: string): About | undefined {
  const equals = pair.indexOf("=");
  const source = pair.slice(0, Math.max(equals, 0));
  if (source === "" || equals === pair.length - 1)
    return {
      code: "DroppedPair",
      message: `"${pair}" is no source=target and is passed over without a word`,
      remedy: "Write both sides, or remove the pair.",
    };
  if (!useful.has(source))
    return {
      code: "UselessOverride",
      message: `No default catalog has an address with "${source}"`,
      remedy: `Write ${keysOfHypershift.join(" or ")}, or remove the pair.`,
    };
  const target = pair.slice(equals + 1);
  if (!isTarget(target))
    return {
      code: "InvalidTarget",
      message: `No catalog's address can begin with "${target}"; where the catalogs run in the control plane, HyperShift finds none of them`,
      remedy: "Write host[:port][/path] in lower case, without scheme, tag and trailing slash.",
    };
  return undefined;
}

/** What the annotations about catalogs say that nobody will follow, as warnings. */
export function overrideIssues({ object, annotations }: HostedCluster): readonly Issue[] {
  const warn = (annotation: string, about: About): Issue => ({
    ...about,
    severity: "warning",
    object: issueObject(object),
    path: `metadata.annotations["${annotation}"]`,
    value: annotations[annotation],
  });
  const text = annotations[catalogOverridesAnnotation] ?? "";
  const pairs = text === "" || text === "=" ? [] : text.split(",");
  const told = pairs.flatMap((pair): Issue[] => {
    const found = pairIssue(pair);
    return found ? [warn(catalogOverridesAnnotation, found)] : [];
  });
  const marketplace = annotations[deadMarketplaceAnnotation]
    ? [
        warn(deadMarketplaceAnnotation, {
          code: "DeadAnnotation",
          message: "Nobody reads this annotation: the catalog redhat-marketplace is gone",
          remedy: "Remove it.",
        }),
      ]
    : [];
  return [...told, ...marketplace];
}

/** A source whose target HyperShift and hubrelay put together to different addresses. */
function readDifferently(source: string, target: string): About | undefined {
  if (source !== registryHost || !target.includes("/") || !isTarget(target)) return undefined;
  return {
    code: "ReadDifferently",
    message: `HyperShift takes "${target}" as it is and looks for catalogs in ${target}, hubrelay in ${target}/${catalogNamespace}`,
    remedy: `Write ${catalogRegistry}=${target} or ${catalogRegistry}=${target}/${catalogNamespace}, which both read alike.`,
  };
}

function ignoredSource(source: string): About | undefined {
  if (!useful.has(source) || keysOfHypershift.includes(source)) return undefined;
  return {
    code: "IgnoredOverride",
    message: `HyperShift ignores the source "${source}": it looks up ${keysOfHypershift.join(" and ")} alone`,
    remedy: `Write it for ${catalogRegistry}.`,
  };
}

function ambiguousSources(sources: ReadonlySet<string>): readonly About[] {
  if (!keysOfHypershift.every((key) => sources.has(key))) return [];
  return [
    {
      code: "AmbiguousOverrides",
      message: `With both ${keysOfHypershift.join(" and ")} HyperShift decides at random, each time anew, whether the latter counts`,
      remedy: `Write ${catalogRegistry} alone, with all its mirrors.`,
    },
  ];
}

/** Images that the annotations name where HyperShift does not read them, unless hubrelay keeps them. */
function ignoredImages({ annotations, olmCatalogPlacement }: HostedCluster): readonly string[] {
  if (olmCatalogPlacement !== "guest" || annotations[catalogsFromMirrorsAnnotation] === fromMirrors)
    return [];
  return defaultCatalogs
    .map(({ imageAnnotation }) => imageAnnotation)
    .filter((annotation) => annotations[annotation]);
}

/** As warnings: what HyperShift itself ignores, or reads in another way, whatever hubrelay makes of it. */
export function ignoredByHypershift(cluster: HostedCluster): readonly Issue[] {
  const { object, annotations } = cluster;
  const warn = (annotation: string, value: unknown, about: About): Issue => ({
    ...about,
    severity: "warning",
    object: issueObject(object),
    path: `metadata.annotations["${annotation}"]`,
    value,
  });
  const decoded: RegistryOverrides =
    decodeOverrides(annotations[catalogOverridesAnnotation] ?? "") ?? new Map();
  const told = [...decoded].flatMap(([source, targets]) => {
    const found = [ignoredSource(source), ...targets.map((target) => readDifferently(source, target))];
    return found.flatMap((about) => (about ? [warn(catalogOverridesAnnotation, source, about)] : []));
  });
  return [
    ...told,
    ...ambiguousSources(new Set(decoded.keys())).map((about) =>
      warn(catalogOverridesAnnotation, annotations[catalogOverridesAnnotation], about),
    ),
    ...ignoredImages(cluster).map((annotation) =>
      warn(annotation, annotations[annotation], {
        code: "IgnoredAnnotation",
        message: "HyperShift does not read this annotation where the catalogs run in the guest",
        remedy: `Write the mirror into ${catalogOverridesAnnotation}.`,
      }),
    ),
  ];
}
