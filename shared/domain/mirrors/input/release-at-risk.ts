import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import type { ImageReference } from "../../images/image-reference.ts";
import { isNested } from "../../images/scope.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import type { RegistrySources } from "./read-image.ts";
import type { ReleaseImage } from "./release-image.ts";
import { type MirrorRule, neverContactSource } from "./rules.ts";

/**
 * Reports whether this input could keep nodes from pulling some image: scopes that are blocked or not allowed, scopes of
 * signature policies that are left out, sources that must not be contacted, and mirrors without a path, which leave
 * nothing of a source that is a repository.
 */
export function canCutOff(
  rules: readonly Pick<MirrorRule, "source" | "policy" | "mirrors">[],
  { blocked = [], allowed = [] }: RegistrySources,
  { leftOut }: Readonly<{ leftOut: readonly unknown[] }>,
): boolean {
  return (
    blocked.length > 0 ||
    allowed.length > 0 ||
    leftOut.length > 0 ||
    rules.some(
      ({ source, policy, mirrors }) =>
        policy === neverContactSource ||
        (source.includes("/") && mirrors.some((mirror) => !mirror.includes("/"))),
    )
  );
}

/** Reports whether a blocked scope, or a source that must not be contacted, contains the image. */
export function isLocked(
  { repository }: ImageReference,
  rules: readonly MirrorRule[],
  { blocked = [] }: RegistrySources,
): boolean {
  return (
    blocked.some(({ scope }) => isNested(repository, scope)) ||
    rules.some(({ source, policy }) => policy === neverContactSource && isNested(repository, source))
  );
}

/** Returns a warning for a release whose components are in unknown repositories, which nothing then protects. */
export function unknownComponents(release: ReleaseImage, problem: string | undefined): readonly Issue[] {
  if (release.state !== "known" || release.isComplete) return [];
  const { repository } = release.payload;
  return [
    fieldIssue({ kind: "ClusterVersion", name: "version" }, "status.desired.image", repository, {
      code: "ReleaseImagesUnknown",
      severity: "warning",
      message: sentence`only ${goQuote(repository)} is protected: it is not known in which repositories the other images of this release are${problem ? `: ${problem}` : ""}`,
      remedy:
        "Give the release's image-references with --image-references; docs/explanation/mirror-config.md says how a hub reads them.",
    }),
  ];
}
