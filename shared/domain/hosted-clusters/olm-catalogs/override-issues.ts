import { type Issue, issueObject } from "../../issue.ts";
import type { HostedCluster } from "../hosted-cluster.ts";
import { enclosingScopes } from "../overrides/image-scopes.ts";
import {
  catalogOverridesAnnotation,
  catalogRegistry,
  deadMarketplaceAnnotation,
  defaultCatalogs,
} from "./default-catalogs.ts";

/** The keys that HyperShift looks up; every other one it ignores. */
const keysOfHypershift: readonly string[] = [catalogRegistry, catalogRegistry.replace(/\/.*$/, "")];
const useful = new Set(
  defaultCatalogs.flatMap(({ repository }) => enclosingScopes(`${catalogRegistry}/${repository}`)),
);

type About = Pick<Issue, "code" | "message" | "remedy">;

function pairIssue(pair: string): About | undefined {
  const [, source = "", target = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  if (source === "" || target === "")
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

/** As a warning: HyperShift itself ignores this source, whatever hubrelay makes of it. */
export function ignoredByHypershift({ object, annotations }: HostedCluster): readonly Issue[] {
  const text = annotations[catalogOverridesAnnotation] ?? "";
  const sources = new Set(text.split(",").map((pair) => pair.slice(0, Math.max(0, pair.indexOf("=")))));
  return [...sources]
    .filter((source) => useful.has(source) && !keysOfHypershift.includes(source))
    .map((source) => ({
      code: "IgnoredOverride",
      severity: "warning",
      object: issueObject(object),
      path: `metadata.annotations["${catalogOverridesAnnotation}"]`,
      value: source,
      message: `HyperShift ignores the source "${source}": it looks up ${keysOfHypershift.join(" and ")} alone`,
      remedy: `Write it for ${catalogRegistry}.`,
    }));
}
