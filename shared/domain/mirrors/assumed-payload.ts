import { sentence } from "../credentials/redact.ts";
import { goQuote } from "../go-compat/go-quote.ts";
import { repositoriesOf } from "../images/published-releases.ts";
import { indexScopes, isNested } from "../images/scope.ts";
import { fieldIssue, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { MirrorInput } from "./configuration.ts";
import { readRegistrySources, registrySources } from "./input/read-image.ts";
import { findReleaseImage } from "./input/release-image.ts";

type Rejection = Readonly<{ path: string; value: unknown; why: string; remedy: string; major: string }>;

function rejected(
  image: KubernetesObject,
  repositories: readonly string[],
  { path, value, why, remedy, major }: Rejection,
): readonly Issue[] {
  if (repositories.length === 0) return [];
  const issue = fieldIssue(image, path, value, {
    code: "AssumedPayloadRejected",
    severity: "warning",
    message: sentence`the release is not known; if it is one of OpenShift ${major}, nodes reject its images in ${repositories.map(goQuote).join(", ")}, from mirrors too, since ${why}`,
    remedy: sentence`${remedy} If the release is in other repositories, add the ClusterVersion to what is checked, or give --release-image.`,
  });
  return [issue];
}

/**
 * Returns a warning for each list that rejects the repositories of OpenShift's releases while the input names no release.
 * The lists of a known one are checked, and it is exempt from blocks.
 */
export function assumedPayload(input: MirrorInput): readonly Issue[] {
  const { image } = input;
  if (!image || findReleaseImage(input).state !== "absent") return [];
  const repositories = repositoriesOf(input.releaseVersion);
  const [major = ""] = (input.releaseVersion ?? "4").split(".");
  const { blocked = [], allowed = [] } = readRegistrySources(image).sources;
  const ofBlocked = blocked.flatMap(({ scope, path }) =>
    rejected(
      image,
      repositories.filter((repository) => isNested(repository, scope)),
      {
        path,
        major,
        value: scope,
        why: sentence`${goQuote(scope)} is blocked`,
        remedy: sentence`Remove ${scope} from ${registrySources}.blockedRegistries.`,
      },
    ),
  );
  if (allowed.length === 0) return ofBlocked;
  const scopes = allowed.map(({ scope }) => scope);
  const isAllowed = indexScopes(scopes);
  const absent = repositories.filter((repository) => !isAllowed.covers(repository));
  const ofAllowed = rejected(image, absent, {
    path: `${registrySources}.allowedRegistries`,
    major,
    value: scopes,
    why: "they are not allowed",
    remedy: sentence`Add ${absent.join(" and ")}, or a scope around each, to ${registrySources}.allowedRegistries.`,
  });
  return [...ofBlocked, ...ofAllowed];
}
