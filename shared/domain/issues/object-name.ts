import { type Kind, type KubernetesObject, kindOf, kinds } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { fieldIssue, type Issue } from "./issue.ts";

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** Reports whether a text is a DNS label (RFC 1123), as namespaces must be. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** Reports whether a text is a DNS subdomain (RFC 1123), as the names of most kinds must be. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

/** Reports whether a text is one segment of a path. The API requires at least this of every name. */
function isPathSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && !/[/%]/.test(text);
}

/** Names of these kinds need not be DNS subdomains: an APIService may be `v1.`, an ImageStream `a_b`. */
const looselyNamed: readonly Kind[] = [kinds.APIService, kinds.Event, kinds.ImageStream];

/** A name or namespace that API servers refuse. */
export type NameProblem = Readonly<{
  field: "name" | "namespace";
  value: string;
  message: string;
  remedy: string;
}>;

const subdomainRemedy =
  'Use at most 253 lower-case letters, digits, "-" and ".", with a letter or digit at both ends and around each ".".';

function nameProblem(object: Readonly<{ apiVersion: string; kind: string }>, name: string): NameProblem[] {
  const kind = kindOf(object);
  const isLoose = !kind || looselyNamed.includes(kind);
  if (isLoose ? isPathSegment(name) : isDnsSubdomain(name)) return [];
  const [what, remedy] = isLoose
    ? ["one segment of a path", 'Use a name without "/" and "%" that is not "." or "..".']
    : ["a DNS subdomain (RFC 1123)", subdomainRemedy];
  return [
    { field: "name", value: name, message: sentence`The API server refuses it: it is not ${what}.`, remedy },
  ];
}

function namespaceProblem(namespace: string): NameProblem[] {
  if (namespace === "" || isDnsLabel(namespace)) return [];
  const message = "The API server refuses it: it is not a DNS label (RFC 1123).";
  const remedy = 'Use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends.';
  return [{ field: "namespace", value: namespace, message, remedy }];
}

/**
 * Returns the problems of an object's name and namespace. Names become parts of paths, so objects with a problem must
 * never be rendered or stored.
 */
export function nameProblems(
  object: Pick<KubernetesObject, "apiVersion" | "kind" | "metadata">,
): readonly NameProblem[] {
  const { name, namespace = "" } = object.metadata;
  return [...nameProblem(object, name), ...namespaceProblem(namespace)];
}

/** Returns `nameProblems` as issues of the object. */
export function nameIssues(object: KubernetesObject): readonly Issue[] {
  return nameProblems(object).map(({ field, value, ...problem }) =>
    fieldIssue(object, `metadata.${field}`, value, { code: "InvalidName", ...problem }),
  );
}
