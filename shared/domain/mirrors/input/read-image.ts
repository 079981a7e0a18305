import { formatRemedy, isRenderableScope, isSource } from "../../images/location-format.ts";
import { asSet, demanded, notEmpty, oneOf } from "../../issues/api-refusals.ts";
import { flag, knownFields, list, orNull, parsed, partial, readField, text } from "../../issues/field.ts";
import {
  asWarnings,
  fieldIssue,
  fieldWarning,
  type Issue,
  type Severity,
  versionIssues,
} from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { type ClusterReleases, hasReached } from "../../openshift/releases/cluster-releases.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { asLoaded } from "../registries-conf/load-failure.ts";
import type { Refusing } from "./validate-rules.ts";

/** One scope in a list of the Image, and the path of this list item. */
export type ListedScope = Readonly<{ scope: string; path: string }>;

/** `spec.registrySources` of the Image `cluster`. A list that the Image lacks is undefined, not empty. */
export type RegistrySources = Readonly<{
  insecure?: readonly ListedScope[] | undefined;
  blocked?: readonly ListedScope[] | undefined;
  allowed?: readonly ListedScope[] | undefined;
  search?: readonly string[] | undefined;
}>;

/** The field of Image `cluster` that has the lists of registries. */
export const registrySources = "spec.registrySources";

const aString = text({}, "a string");
const scopes = orNull(
  list(
    parsed(aString, (scope, path): ListedScope => ({ scope, path })),
    {},
    "a list of strings",
  ),
);

const imageSpec = demanded(
  partial({
    registrySources: orNull(
      partial({
        insecureRegistries: scopes,
        blockedRegistries: scopes,
        allowedRegistries: scopes,
        containerRuntimeSearchRegistries: notEmpty(asSet(scopes)),
      }),
    ),
    allowedRegistriesForImport: orNull(
      list(partial({ domainName: orNull(aString), insecure: orNull(flag()) })),
    ),
    externalRegistryHostnames: orNull(list(aString, {}, "a list of strings")),
    additionalTrustedCA: orNull(partial({ name: demanded(aString) })),
    imageStreamImportMode: orNull(
      oneOf(["", "Legacy", "PreserveOriginal"], "Write Legacy or PreserveOriginal, or leave it out."),
    ),
  }),
);

const specFields = knownFields(imageSpec.definition, "spec");

type ReadSources = Readonly<{
  sources: RegistrySources;
  issues: readonly Issue[];
}>;

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

const entryIn = (list: string, { scope }: ListedScope): string =>
  sentence`invalid entry for ${list} registries ${goQuote(scope)}`;

/** Reports whether the container runtime can load a file with this scope. API servers refuse some of these scopes. */
const isLoadable = (scope: string): boolean =>
  isSource(scope) || (!/^https?:\/\//.test(scope) && asLoaded(scope) !== "");

type ImageReading = Readonly<{ refusing: Refusing; releases: ClusterReleases }>;

/** The first release whose API server checks names in the Image's lists: openshift/api, config/v1/types_image.go. */
const namesSince: Release = { major: 4, minor: 23 };
const maxScopeLength = 256;
const maxScopes = 1024;

function nameIssues(
  image: KubernetesObject,
  { insecure, blocked, allowed }: RegistrySources,
  { refusing, releases }: ImageReading,
): readonly Issue[] {
  const isRefused = refusing === "anyone" && !releases.isAssumed && hasReached(releases, namesSince);
  const who = isRefused ? "the API server refuses it" : "newer API servers refuse it";
  return Object.entries({ insecure, blocked, allowed }).flatMap(([list, scopes = []]) =>
    scopes.flatMap((listed, index) => {
      const { scope } = listed;
      const isValid = isSource(scope) && scope.length <= maxScopeLength && index < maxScopes;
      // An item that is not a scope at all has an issue of its own.
      if (isValid || !isRenderableScope(scope) || !isLoadable(scope)) return [];
      const message = sentence`${entryIn(list, listed)}: ${who}`;
      return [scopeIssue(image, listed, isRefused ? "error" : "warning", message)];
    }),
  );
}

/** Reads the registry lists of the Image. Items and lists of the wrong type are left out, with an issue. */
export function readRegistrySources(
  image: KubernetesObject | undefined,
  reading?: ImageReading,
): ReadSources {
  if (!image) return { sources: {}, issues: [] };
  const { value, issues } = readField(image, "spec", image.spec, imageSpec);
  const lists = value?.registrySources;
  const sources: RegistrySources = {
    insecure: lists?.insecureRegistries,
    blocked: lists?.blockedRegistries,
    allowed: lists?.allowedRegistries,
    search: lists?.containerRuntimeSearchRegistries?.map(({ scope }) => scope),
  };
  const ofApi = reading ? nameIssues(image, sources, reading) : [];
  // The operator accepts everything that it can decode: only a wrong type stays an error.
  const isAccepted = ({ code }: Issue) => reading?.refusing === "operator" && code !== "InvalidType";
  const ofFields = issues.map(
    (issue): Issue => (isAccepted(issue) ? { ...issue, severity: "warning" } : issue),
  );
  return { sources, issues: [...unknownFields(image, specFields), ...ofFields, ...ofApi] };
}

type ValidatedScopes = Readonly<{ usable: readonly ListedScope[]; issues: readonly Issue[] }>;

function inspect(
  image: KubernetesObject,
  list: "insecure" | "blocked" | "allowed",
  listed: ListedScope,
  refusing: Refusing,
): Issue | undefined {
  const { scope } = listed;
  const message = entryIn(list, listed);
  if (!isRenderableScope(scope)) return scopeIssue(image, listed, "error", message);
  if (isLoadable(scope)) return undefined;
  const severity = refusing === "operator" ? "warning" : "error";
  const effect = "the container runtime refuses the whole file that it is rendered to";
  return scopeIssue(image, listed, severity, sentence`${message}: ${effect}`);
}

/**
 * Returns the scopes without errors from one list of the Image, and issues about the scopes of the list. A scope that
 * only newer API servers refuse is kept: without it, nodes could use what it blocks.
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

/** For each of these kinds, OpenShift reads only the object with this name. */
const singletons = [
  { kind: kinds.Image, name: "cluster" },
  { kind: kinds.ClusterVersion, name: "version" },
  { kind: kinds.Infrastructure, name: "cluster" },
  { kind: kinds.MachineConfiguration, name: "cluster" },
] as const;

function nameIssue(object: KubernetesObject, name: string): readonly Issue[] {
  if (object.metadata.name === name) return [];
  return [
    fieldWarning(object, "metadata.name", object.metadata.name, {
      code: "NameWithoutEffect",
      message: sentence`OpenShift reads only the ${object.kind} named ${name}: this one has no effect.`,
      remedy: sentence`Name it ${name}.`,
    }),
  ];
}

/** Returns the issues of objects that OpenShift ignores because of their name or API version. */
export function unreadObjects(objects: readonly KubernetesObject[], refusing: Refusing): readonly Issue[] {
  return objects.flatMap((object) => {
    const singleton = singletons.find(({ kind }) => isOfAnyVersion(kind, object));
    if (!singleton) return [];
    const found = [...versionIssues(singleton.kind, object), ...nameIssue(object, singleton.name)];
    return refusing === "operator" ? asWarnings(found) : found;
  });
}
