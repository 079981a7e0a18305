import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { fieldIssue, type Issue, type Severity } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { GuardVerdict } from "./release-guard.ts";

/** Returns the issues of the guard's verdict on the blocked registries of the Image configuration. */
export function guardIssues(
  verdict: GuardVerdict,
  {
    image,
    blocked,
    severity,
  }: Readonly<{
    image: KubernetesObject;
    blocked: readonly ListedScope[];
    severity: Severity;
  }>,
): readonly Issue[] {
  if (verdict.failure !== undefined) {
    const scopes = blocked.map(({ scope }) => scope);
    return [
      fieldIssue(image, "spec.registrySources.blockedRegistries", scopes, {
        code: "GuardFailedOpen",
        severity: "warning",
        message: sentence`machine-config-operator blocks none of these registries, because it could not check whether the release payload stays reachable: ${verdict.failure}`,
        remedy: "Fix this cause, or render without compat, where the check does not fail.",
      }),
    ];
  }
  const dropped = verdict.dropped.map(({ scope, path, image: { repository } }) =>
    fieldIssue(image, path, scope, {
      code: "PayloadBlocked",
      severity,
      message: sentence`error adding [${goQuote(scope)}] to blocked registries, cannot block the repository being used by the payload${severity === "error" ? "; the whole entry is left out, so it blocks nothing" : ""}`,
      remedy: sentence`Mirror ${repository} with an ImageDigestMirrorSet to a location that is not blocked, or remove this entry.`,
    }),
  );
  const exempting = verdict.exempting.map(({ scope, path, images }) => {
    const repositories = images.map(({ repository }) => repository);
    return fieldIssue(image, path, scope, {
      code: "PayloadBlocked",
      severity,
      message: sentence`${goQuote(scope)} is blocked without ${repositories.map(goQuote).join(", ")}: images of the release payload are there, and no open mirror has them`,
      remedy: sentence`Mirror ${repositories.join(" and ")} with an ImageDigestMirrorSet to a location that is not blocked, or remove this entry.`,
    });
  });
  return [...dropped, ...exempting];
}
