import { fieldIssue, fieldWarning, type Issue, type Severity } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { isPayloadPolicy } from "../../openshift/releases/payload-signature-policy.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, registrySources } from "../input/read-image.ts";
import type { ImagePolicy, ScopedPolicies, ScopedPolicy } from "./read-policies.ts";

/** Returns the name of a policy's kind as messages of machine-config-operator write it. */
const nameOfKind = ({ object }: ImagePolicy): string =>
  object.kind === kinds.ClusterImagePolicy.kind ? "clusterimagePolicy" : "imagePolicy";

const removalOf = ({ object }: ImagePolicy): string =>
  isPayloadPolicy(object) ? ": the release applies this policy itself." : ", or remove it here.";

/** Returns the issue of a signature policy whose scope is in no allowed registry. */
export function outsideAllowed({ policy, at }: ScopedPolicy): Issue {
  return fieldIssue(policy.object, at.path, at.scope, {
    code: "PolicyScopeNotAllowed",
    message: sentence`${nameOfKind(policy)} configured for the scope ${at.scope} is not nested inside allowedRegistries`,
    remedy: sentence`Add the scope to ${registrySources}.allowedRegistries of Image/cluster${removalOf(policy)}`,
  });
}

/** Returns the issue of a signature policy whose scope is in a blocked registry. */
export function insideBlocked({ policy, at }: ScopedPolicy): Issue {
  return fieldIssue(policy.object, at.path, at.scope, {
    code: "PolicyScopeBlocked",
    message: sentence`${nameOfKind(policy)} configured for the scope ${at.scope} is nested inside blockedRegistries`,
    remedy: sentence`Remove the scope that contains it from ${registrySources}.blockedRegistries of Image/cluster${removalOf(policy)}`,
  });
}

/** Returns the issue of allowed and blocked lists that contradict each other. */
export function allowedAndBlocked(image: KubernetesObject, allowed: readonly ListedScope[]): Issue {
  const scopes = allowed.map(({ scope }) => scope);
  return fieldIssue(image, `${registrySources}.allowedRegistries`, scopes, {
    code: "AllowedAndBlocked",
    message: "invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified",
    remedy: `Remove ${registrySources}.allowedRegistries or ${registrySources}.blockedRegistries.`,
  });
}

/** Returns the issue of several blocked scopes around the payload, which machine-config-operator refuses together. */
export function payloadAllowedTwice(image: KubernetesObject, blocked: readonly ListedScope[]): Issue {
  return {
    ...allowedAndBlocked(image, []),
    path: `${registrySources}.blockedRegistries`,
    value: blocked.map(({ scope }) => scope),
    remedy:
      "These scopes contain the release payload, which machine-config-operator allows once for each: block it by only one scope.",
  };
}

/** Returns the issue of a blocked scope that is exactly the payload's repository: no other repository is allowed. */
export function onlyPayloadAllowed(image: KubernetesObject, { scope, path }: ListedScope): Issue {
  return fieldWarning(image, path, scope, {
    code: "OnlyPayloadAllowed",
    message: sentence`with exactly the repository of the release image blocked, the policy.json of machine-config-operator rejects every image but those of ${goQuote(scope)}, other images of the release too`,
    remedy: sentence`Remove ${scope} from ${registrySources}.blockedRegistries of Image/cluster, and give its rules mirrorSourcePolicy NeverContactSource.`,
  });
}

/** Returns the issue of payload repositories that are not allowed. policy.json rejects them, even from mirrors. */
export function payloadNotAllowed(
  image: KubernetesObject,
  repositories: readonly string[],
  allowed: readonly string[],
  severity: Severity,
): Issue {
  return fieldIssue(image, `${registrySources}.allowedRegistries`, allowed, {
    code: "PayloadNotAllowed",
    severity,
    message: sentence`the release payload ${repositories.map(goQuote).join(", ")} is not in allowedRegistries: nodes would reject it, also from a mirror`,
    remedy: sentence`Add ${repositories.join(" and ")} or a scope around it to ${registrySources}.allowedRegistries.`,
  });
}

/**
 * Returns the issue of a blocked scope that contains repositories of the release. MCO exempts only the repository of
 * the release image (`getValidBlockedAndAllowedRegistries` in pkg/controller/container-runtime-config/helpers.go).
 */
export function payloadRejected(
  image: KubernetesObject,
  { scope, path }: ListedScope,
  repositories: readonly string[],
): Issue {
  return fieldWarning(image, path, scope, {
    code: "PayloadRejected",
    message: sentence`with ${goQuote(scope)} blocked, the policy.json of machine-config-operator rejects images of the release in ${repositories.map(goQuote).join(", ")}, from mirrors too: it exempts only the repository of the release image`,
    remedy: sentence`Remove ${scope} from ${registrySources}.blockedRegistries of Image/cluster, and give the rules of these repositories mirrorSourcePolicy NeverContactSource.`,
  });
}

/** A location that is not a valid reference, for images in `scope`, which is part of the policy's `policyScope`. */
export type UnusableScope = Readonly<{ policyScope: string; scope: string; location: string }>;

/** Returns the issue of a location that is not a valid reference. The issue is at the policy that has `policyScope`. */
export function unusableLocation(
  { policyScope, scope, location }: UnusableScope,
  policies: ScopedPolicies,
): Issue {
  const owner = [...policies.cluster, ...policies.namespaced].find(({ at }) => at.scope === policyScope);
  const object = owner?.policy.object ?? { kind: "File", name: "sigstore-registries.yaml" };
  return fieldIssue(object, owner?.at.path ?? "1:1", policyScope, {
    code: "PolicyScopeUnusable",
    message: sentence`error adding clusterimagepolicy scope ${policyScope} relevant mirrors: ${location} is not a full image reference`,
    remedy: sentence`Give the mirror of ${scope} a repository (host[:port]/path) and a full host name, or remove the scope.`,
  });
}

/** Returns the issue of a rendered registries.conf that cannot be loaded because of `failure`. */
export function unloadableRegistries(
  failure: string,
  image: KubernetesObject | undefined,
  listed: readonly ListedScope[],
): Issue {
  const [named] = listed
    .filter(({ scope }) => failure.includes(scope))
    .toSorted((a, b) => b.scope.length - a.scope.length);
  const [object, path] = image
    ? [image, named?.path ?? registrySources]
    : [{ kind: "File", name: "registries.conf" }, "1:1"];
  return fieldIssue(object, path, named?.scope ?? failure, {
    code: "UnloadableRegistries",
    message: sentence`loading registries configuration: ${failure}`,
    remedy: "Change the scope that the reason names; nodes could not load the file either.",
  });
}
