import { sentence } from "../../credentials/redact.ts";
import {
  asWritten,
  knownFields,
  list,
  orNull,
  parsed,
  partial,
  readField,
  text,
} from "../../fields/field.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { isRenderableScope, isSource } from "../../images/location-patterns.ts";
import { formatRemedy } from "../../images/location-remedies.ts";
import { fieldIssue, type Issue, type Severity } from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { asLoaded } from "../registries-conf/load-failure.ts";
import type { Refusing } from "./validate-rules.ts";

/** One scope of a list of the Image object, with its path for messages. */
export type ListedScope = Readonly<{ scope: string; path: string }>;

/** `spec.registrySources` of the Image `cluster`. A missing list is undefined; an empty one is not. */
export type RegistrySources = Readonly<{
  insecure?: readonly ListedScope[] | undefined;
  blocked?: readonly ListedScope[] | undefined;
  allowed?: readonly ListedScope[] | undefined;
  search?: readonly string[] | undefined;
}>;

/** The field of Image `cluster` that has the lists of registries. */
export const registrySources = "spec.registrySources";

const scopes = orNull(
  list(
    parsed(text({}, "a string"), (scope, path): ListedScope => ({ scope, path })),
    {},
    "a list of strings",
  ),
);

/** The fields of `spec`; `asWritten` are those that nodes do not need. */
const imageSpec = orNull(
  partial({
    registrySources: orNull(
      partial({
        insecureRegistries: scopes,
        blockedRegistries: scopes,
        allowedRegistries: scopes,
        containerRuntimeSearchRegistries: scopes,
      }),
    ),
    allowedRegistriesForImport: asWritten(
      list(partial({ domainName: asWritten(), insecure: asWritten() })).definition,
    ),
    externalRegistryHostnames: asWritten(),
    additionalTrustedCA: asWritten(partial({ name: asWritten() }).definition),
    imageStreamImportMode: asWritten(),
  }),
);

const specFields = knownFields(imageSpec.definition, "spec");

type ReadSources = Readonly<{
  sources: RegistrySources;
  issues: readonly Issue[];
}>;

/**
 * Reads the registry lists of the Image configuration. An item of the wrong type is left out with an issue; a list
 * of the wrong type is read as missing.
 */
export function readRegistrySources(image: KubernetesObject | undefined): ReadSources {
  if (!image) return { sources: {}, issues: [] };
  const { value, issues } = readField(image, "spec", image.spec, imageSpec);
  const lists = value?.registrySources;
  return {
    sources: {
      insecure: lists?.insecureRegistries,
      blocked: lists?.blockedRegistries,
      allowed: lists?.allowedRegistries,
      search: lists?.containerRuntimeSearchRegistries?.map(({ scope }) => scope),
    },
    issues: [...unknownFields(image, specFields), ...issues],
  };
}

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
  refusing: Refusing,
): Issue | undefined {
  const { scope } = listed;
  const message = sentence`invalid entry for ${list} registries ${goQuote(scope)}`;
  if (!isRenderableScope(scope)) return scopeIssue(image, listed, "error", message);
  if (isSource(scope)) return undefined;
  if (/^https?:\/\//.test(scope) || asLoaded(scope) === "") {
    const severity = refusing === "operator" ? "warning" : "error";
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
  refusing: Refusing,
): ValidatedScopes {
  // Stryker disable next-line ConditionalExpression: without an Image there are no scopes to check
  if (!image) return { usable: scopes, issues: [] };
  const usable: ListedScope[] = [];
  const issues: Issue[] = [];
  for (const listed of scopes) {
    const issue = inspect(image, list, listed, refusing);
    if (issue) issues.push(issue);
    if (issue?.severity === "error") continue;
    usable.push(listed);
  }
  return { usable, issues };
}
