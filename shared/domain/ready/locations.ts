import { tryResolveName } from "../images/image-name.ts";
import { type ImageReference, tryParseImageReference } from "../images/image-reference.ts";
import { hostOf, isNested } from "../images/scope.ts";
import {
  type ExplainProblem,
  imageExplainer,
  type NameExplanation,
} from "../mirrors/explain/explain-image.ts";
import { candidateText } from "../mirrors/explain/explain-texts.ts";
import type { Candidate, SkipReason } from "../mirrors/pull/pull-sources.ts";
import { tryLoadRegistries } from "../mirrors/registries-conf/load-registries.ts";
import type { NodeFile } from "../openshift/machine-config/node-file.ts";
import { policySignedIn } from "../openshift/releases/payload-signature-policy.ts";
import { sentence } from "../text/redact.ts";

/** The full name of an image (never a name at a mirror), and what policy.json requires of the image's signatures. */
export type SigningRules = Readonly<{ image: ImageReference; requirements: readonly unknown[] }>;

/** A location where a node looks for an image. */
export type ImageLocation = Readonly<{
  reference: string;
  /** True for a mirror, and for the image's own location if a mirror of any image is at the same host. */
  isMirror: boolean;
  /** True if nodes pull without TLS or without verifying it. */
  insecure: boolean;
  /** Why nodes do not try the location; undefined if they do. */
  skipped: Readonly<{ reason: SkipReason | "rejected"; text: string }> | undefined;
  /** The index of the location's full name. A short name has a full name for each search registry. */
  name: number;
  /** What a signature policy requires of the image's signatures; absent if no signature is required. */
  signing?: SigningRules;
  /** True if nodes may use a login from the pod's namespace, which is not in the pull secret. */
  mayHaveOtherLogins?: boolean;
}>;

/** An image, and its locations in the order in which nodes try them. */
export type ImageRoute = Readonly<{ image: string; locations: readonly ImageLocation[] }>;

function skippedBy(
  candidate: Candidate,
  { verdict, file }: NameExplanation["policy"],
): ImageLocation["skipped"] {
  const { reason } = candidate;
  if (reason !== null) return { reason, text: candidateText(candidate) };
  return verdict === "reject" ? { reason: "rejected", text: sentence`${file} rejects the image` } : undefined;
}

/** The port of the registry on control planes for InternalReleaseImages (machine-config-operator, IRIRegistryPort). */
const internalReleasePort = ":22625";

/** Reports whether a location is a registry on the nodes themselves, which other machines cannot reach. */
export function isOnNodes(reference: string): boolean {
  const host = hostOf(reference);
  return host.endsWith(internalReleasePort) && /^(?:localhost|127\.0\.0\.1|api-int\..+):\d+$/.test(host);
}

function locationsOf(
  { image, candidates, policy }: NameExplanation,
  name: number,
  mirrorHosts: ReadonlySet<string>,
  hasOtherLogins: (image: string) => boolean,
): readonly ImageLocation[] {
  const other = hasOtherLogins(image) ? { mayHaveOtherLogins: true } : {};
  const named = tryParseImageReference(image);
  const signing = named &&
    policy.verdict === "signature" && { signing: { image: named, requirements: policy.requirements } };
  return candidates.map((candidate) => ({
    reference: candidate.reference,
    isMirror: !candidate.isSource || mirrorHosts.has(hostOf(candidate.reference)),
    insecure: candidate.insecure,
    skipped: skippedBy(candidate, policy),
    name,
    ...signing,
    ...other,
  }));
}

export type RouteOptions = Readonly<{
  /** Reports whether nodes may pull an image with a login of the pod's namespace. */
  hasOtherLogins?: (image: string) => boolean;
  /** The registries, or paths within registries, that are assumed to be down. */
  without?: readonly string[];
  /** The namespace of the pod that pulls, which may have a signature policy of its own. */
  namespace?: string;
}>;

/** Returns a function that returns an image's locations according to a node's files, or why there are none. */
export function imageRoutes(
  files: readonly NodeFile[],
  { hasOtherLogins = () => false, ...options }: RouteOptions = {},
): (image: string) => ImageRoute | ExplainProblem {
  const registries = tryLoadRegistries(files);
  const mirrors = "problem" in registries ? [] : registries.entries.flatMap((entry) => entry.mirrors);
  const mirrorHosts = new Set(mirrors.map(({ location }) => hostOf(location)));
  const explain = imageExplainer(files, options);
  return (image) => {
    const explained = explain(image);
    if ("problem" in explained) return explained;
    const locations = explained.names.flatMap((name, index) =>
      locationsOf(name, index, mirrorHosts, hasOtherLogins),
    );
    return { image, locations };
  };
}

/** Returns a route for looking up the digest of a version. It skips no digest-only or tag-only mirrors. */
export function lookupRoute(route: ImageRoute): ImageRoute {
  const locations = route.locations.map((location) =>
    location.skipped && ["digest-only", "tag-only"].includes(location.skipped.reason)
      ? { ...location, skipped: undefined }
      : location,
  );
  return { ...route, locations };
}

/** Returns the route with the rules about signatures that these releases add. */
export function signedRoute(
  route: ImageRoute,
  versions: readonly string[],
  cluster: Parameters<typeof policySignedIn>[1],
): ImageRoute {
  const [image] = tryResolveName(route.image)?.references ?? [];
  if (!image) return route;
  const policies = versions.flatMap((version) => policySignedIn(version, cluster) ?? []);
  const own = policies.filter(({ scopes }) => scopes.some((scope) => isNested(image.repository, scope)));
  if (own.length === 0) return route;
  const requirements = own.map(({ keyData }) => ({ type: "sigstoreSigned", keyData }));
  const locations = route.locations.map((one) => ({
    ...one,
    signing: { image, requirements: [...(one.signing?.requirements ?? []), ...requirements] },
  }));
  return { ...route, locations };
}
