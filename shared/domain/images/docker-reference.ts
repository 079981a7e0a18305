import { ownValue } from "../kubernetes/json/values.ts";
import { digestLengths, splitReference } from "./image-reference.ts";
import { isMirror } from "./location-format.ts";

/** The parts of an image reference as HyperShift parses it. Missing parts are empty. */
export type DockerReference = Readonly<{
  registry: string;
  /** The first part of the path. Empty if the path has only one part. */
  namespace: string;
  /** The rest of the path, which may contain slashes. Never empty. */
  name: string;
  tag: string;
  digest: string;
}>;

type ParsedReference = Readonly<{ reference: DockerReference } | { error: string }>;

const invalidFormat = "invalid reference format";
const tagFormat = /^\w[\w.-]{0,127}$/;
const digestFormat = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;
const maxNameLength = 255;
/** Longer than any real digest. Without this maximum, matching `digestFormat` could be slow. */
const maxDigestLength = 1024;

type Parts = Readonly<{ name: string; tag: string; digest: string }>;

function isName(name: string): boolean {
  return isMirror(`x/${name}`) || (name.includes("/") && isMirror(name));
}

function split(text: string): Parts | undefined {
  const { name, tag, digest } = splitReference(text);
  const isVersion = digest === undefined || (digest.length <= maxDigestLength && digestFormat.test(digest));
  const isWellFormed = isName(name) && (tag === undefined || tagFormat.test(tag)) && isVersion;
  return isWellFormed ? { name, tag: tag ?? "", digest: digest ?? "" } : undefined;
}

function digestProblem(digest: string): string | undefined {
  const colon = digest.indexOf(":");
  const algorithm = digest.slice(0, colon);
  const length = ownValue(digestLengths, algorithm);
  if (length === undefined) return "unsupported digest algorithm";
  return digest.length - colon - 1 === length ? undefined : "invalid checksum digest length";
}

function problemOf(text: string, parts: Parts | undefined): string | undefined {
  if (text === "") return "repository name must have at least one component";
  if (!parts) return split(text.toLowerCase()) ? "repository name must be lowercase" : invalidFormat;
  if (parts.name.length > maxNameLength)
    return `repository name must not be more than ${maxNameLength} characters`;
  return parts.digest === "" ? undefined : digestProblem(parts.digest);
}

function cut(text: string): readonly [before: string, after: string] {
  const slash = text.indexOf("/");
  return slash < 0 ? ["", text] : [text.slice(0, slash), text.slice(slash + 1)];
}

/**
 * Parses a reference like HyperShift, or returns an error in HyperShift's words. A host alone is a name: `a.io:5000` is
 * the name `a.io` with the tag `5000`. Behaviour: pkg/image/reference of openshift/library-go.
 */
export function parseDockerReference(text: string): ParsedReference {
  const parts = split(text);
  const error = problemOf(text, parts);
  if (!parts || error !== undefined) return { error: error ?? invalidFormat };
  const { tag, digest } = parts;
  const [first, afterFirst] = cut(parts.name);
  const isRegistry = /[.:]/.test(first) || first === "localhost";
  const [namespace, name] = cut(isRegistry ? afterFirst : parts.name);
  return { reference: { registry: isRegistry ? first : "", namespace, name, tag, digest } };
}

/** Returns the name with its digest, or with its tag if it has no digest. */
export function nameText({ name, tag, digest }: DockerReference): string {
  if (digest !== "") return `${name}@${digest}`;
  return tag === "" ? name : `${name}:${tag}`;
}

const dockerHub = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);

/** Formats a reference. Images of docker.io without a namespace get the namespace `library`. */
export function referenceText(reference: DockerReference): string {
  const { registry, namespace } = reference;
  const shown = namespace === "" && dockerHub.has(registry) ? "library" : namespace;
  return [registry, shown, nameText(reference)].filter((part) => part !== "").join("/");
}
