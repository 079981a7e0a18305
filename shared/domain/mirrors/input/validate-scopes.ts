import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { isRenderableScope, isSource } from "../../images/location-patterns.ts";
import { formatRemedy } from "../../images/location-remedies.ts";
import { fieldIssue, type Issue, type Severity } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { asLoaded } from "../registries-conf/load-failure.ts";
import type { ListedScope } from "./read-image.ts";
import type { Compat } from "./validate-rules.ts";

export type ValidatedScopes = Readonly<{ usable: readonly ListedScope[]; issues: readonly Issue[] }>;

function scopeIssue(
  image: KubernetesObject,
  { scope, path }: ListedScope,
  severity: Severity,
  message: string,
): Issue {
  return fieldIssue(image, path, scope, {
    code: "InvalidScope",
    severity,
    message,
    remedy: formatRemedy("scope", scope),
  });
}

function inspect(
  image: KubernetesObject,
  list: "insecure" | "blocked" | "allowed",
  listed: ListedScope,
  compat: Compat,
): Issue | undefined {
  const { scope } = listed;
  const message = sentence`invalid entry for ${list} registries ${goQuote(scope)}`;
  if (!isRenderableScope(scope)) return scopeIssue(image, listed, "error", message);
  if (isSource(scope)) return undefined;
  if (/^https?:\/\//.test(scope) || asLoaded(scope) === "") {
    const severity = compat === "mco" ? "warning" : "error";
    const effect = "the container runtime refuses the whole file that it is rendered to";
    return scopeIssue(image, listed, severity, sentence`${message}: ${effect}`);
  }
  return scopeIssue(image, listed, "warning", sentence`${message}: newer API servers refuse it`);
}

/**
 * Checks one list of scopes of the Image configuration. Only a scope that would break the rendered file is an error
 * and left out. Older API servers accepted more than today's, and removing such a scope could unblock what it
 * blocks: it stays, with a warning. Trailing slashes are dropped, as the container runtime drops them: it refuses a
 * file with two entries that differ only by the slash.
 */
export function validateScopes(
  image: KubernetesObject | undefined,
  list: "insecure" | "blocked" | "allowed",
  scopes: readonly ListedScope[],
  compat: Compat,
): ValidatedScopes {
  // Stryker disable next-line ConditionalExpression: without an Image there are no scopes to check
  if (!image) return { usable: scopes, issues: [] };
  const usable: ListedScope[] = [];
  const issues: Issue[] = [];
  for (const listed of scopes) {
    const issue = inspect(image, list, listed, compat);
    if (issue) issues.push(issue);
    if (issue?.severity === "error") continue;
    usable.push(compat === "mco" ? listed : { ...listed, scope: asLoaded(listed.scope) });
  }
  return { usable, issues };
}
