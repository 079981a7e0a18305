import { ownValue } from "../kubernetes/json/values.ts";
/** A full image reference: `host[:port]/path[:tag][@digest]`. */
export type ImageReference = Readonly<{
  /** Host and path, without tag and digest. */
  repository: string;
  tag?: string;
  digest?: string;
}>;

const label = "[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*";
const host = new RegExp(`^${label}(?:\\.${label})*(?::[0-9]+)?$`);
const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagFormat = /^\w[\w.-]{0,127}$/;
/** The number of hexadecimal digits in a digest, by algorithm. */
export const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const maxNameLength = 255;
/** Longer than any usable reference. Without this maximum, the regular expressions could be slow. */
const maxLength = 4096;

/** Reports whether a text is a digest in lower case, such as `sha256:` with 64 hexadecimal digits. */
export function isDigest(text: string): boolean {
  const colon = text.indexOf(":");
  const hex = text.slice(colon + 1);
  return ownValue(digestLengths, text.slice(0, colon)) === hex.length && /^[a-f0-9]+$/.test(hex);
}

/** Reports whether the runtime reads the first part of a name as a registry: with a dot or port, or `localhost`. */
export function isRegistryHost(domain: string): boolean {
  return /[.:]/.test(domain) || domain === "localhost";
}

/** Reports whether a text is a host, with or without a port. The container runtime knows no IPv6 addresses. */
export function isHost(text: string): boolean {
  return text.length <= maxLength && host.test(text);
}

function isFullHost(domain: string): boolean {
  // The grammar of container runtimes also accepts a first part that is valid only in a path, such as `a_b.io`.
  const isName = host.test(domain) || component.test(domain);
  return isRegistryHost(domain) && domain !== "index.docker.io" && isName;
}

function isFullPath(domain: string, path: string): boolean {
  // On docker.io, the full path of an image without a namespace begins with `library/`.
  if (domain === "docker.io" && !path.includes("/")) return false;
  return (
    domain.length + 1 + path.length <= maxNameLength && path.split("/").every((part) => component.test(part))
  );
}

/** The parts of a reference, valid or not. A missing part is undefined. */
export type ReferenceParts = Readonly<{ name: string; tag: string | undefined; digest: string | undefined }>;

/** Splits a reference without checking it. */
export function splitReference(text: string): ReferenceParts {
  const at = text.indexOf("@");
  const named = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  if (colon < 0) return { name: named, tag: undefined, digest };
  return { name: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

/** Returns a reference without its tag and digest. */
export const withoutVersion = (reference: string): string => splitReference(reference).name;

/**
 * Parses a full reference; undefined for any other text, also for short names such as `docker.io/alpine`. The container
 * runtime accepts only full references after it has prepended a mirror.
 */
export function tryParseImageReference(text: string): ImageReference | undefined {
  if (text.length > maxLength) return undefined;
  const { name, tag, digest } = splitReference(text);
  if (digest !== undefined && !isDigest(digest)) return undefined;
  const slash = name.indexOf("/");
  if (slash < 0) return undefined;
  const domain = name.slice(0, slash);
  const path = name.slice(slash + 1);
  if (!isFullHost(domain) || !isFullPath(domain, path)) return undefined;
  if (tag !== undefined && !tagFormat.test(tag)) return undefined;
  return {
    repository: `${domain}/${path}`,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Formats a reference as `repository[:tag][@digest]`. */
export function formatImageReference({ repository, tag, digest }: ImageReference): string {
  return `${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}
