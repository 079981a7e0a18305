import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { indexScopes } from "../../images/scope.ts";
import { fieldIssue } from "../../issues/issue.ts";
import type { Assembled } from "./assembled.ts";
import type { LintFinding } from "./lint-finding.ts";

const path = "spec.registrySources.allowedRegistries";

/** Finds an allowed list without the cluster's own image registry, whose images nodes then reject. */
export function rejectedInternalRegistry({
  image,
  allowed,
  internalRegistry: host,
}: Assembled): readonly LintFinding[] {
  const scopes = allowed.map(({ scope }) => scope);
  if (!image || host === undefined || scopes.length === 0 || indexScopes(scopes).covers(host)) return [];
  return [
    {
      about: host,
      issue: fieldIssue(image, path, scopes, {
        code: "InternalRegistryNotAllowed",
        severity: "warning",
        message: sentence`nodes reject the images of the cluster's own registry, since ${goQuote(host)} is not in allowedRegistries`,
        remedy: sentence`Add ${host} to ${path}.`,
      }),
    },
  ];
}
