import { ownValue } from "../kubernetes/json/values.ts";
import { type ImageReference, tryParseImageReference } from "./image-reference.ts";

/** The full references of an image name as users write it, in the order of trying. */
export type ResolvedName = Readonly<{
  /** How the name was resolved: it is a full name, by an alias of registries.conf, or by the search registries. */
  by: "itself" | "alias" | "search";
  references: readonly ImageReference[];
}>;

/** How registries.conf resolves names without a host. */
type ShortNames = Readonly<{
  unqualifiedSearchRegistries?: readonly string[] | undefined;
  aliases?: Readonly<Record<string, string>> | undefined;
}>;

type SplitName = Readonly<{ name: string; tag: string | undefined; digest: string | undefined }>;

/** A colon before a slash belongs to the port. */
function split(image: string): SplitName {
  const at = image.indexOf("@");
  const named = at < 0 ? image : image.slice(0, at);
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  if (colon < 0) return { name: named, tag: undefined, digest };
  return { name: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

/** The first part of a name is a host when it has a dot or a port, or is `localhost`. */
function hasHost(name: string): boolean {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  return /[.:]/.test(first) || first === "localhost";
}

/** Replaces docker.io's old host, and adds the namespace of official images. */
function canonicalName(name: string): string {
  const slash = name.indexOf("/");
  const host = name.slice(0, slash).replace(/^index\.docker\.io$/, "docker.io");
  const path = name.slice(slash + 1);
  return host === "docker.io" && !path.includes("/") ? `${host}/library/${path}` : `${host}/${path}`;
}

/**
 * A digest is more precise than a tag, and runtimes drop the tag of a reference with both; without either the tag
 * is `latest`.
 */
function complete(name: string, { tag, digest }: SplitName): ImageReference | undefined {
  const suffix = digest === undefined ? `:${tag ?? "latest"}` : `@${digest}`;
  if (tag !== undefined && !tryParseImageReference(`${canonicalName(name)}:${tag}`)) return undefined;
  return tryParseImageReference(`${canonicalName(name)}${suffix}`);
}

/**
 * Resolves an image name as CRI-O does on OpenShift: `docker.io/alpine` is `docker.io/library/alpine`, a name
 * without a host is resolved by its alias if it has one, else at every search registry in order. Returns undefined
 * for an invalid name, or a short name that cannot be resolved.
 *
 * Only the aliases of `conf` are known: a node's operating system may have more.
 */
export function tryResolveName(
  image: string,
  { unqualifiedSearchRegistries = [], aliases = {} }: ShortNames = {},
): ResolvedName | undefined {
  const parts = split(image);
  const { name } = parts;
  const found = (
    by: ResolvedName["by"],
    references: readonly (ImageReference | undefined)[],
  ): ResolvedName | undefined => {
    const parsed = references.filter((reference) => reference !== undefined);
    return parsed.length > 0 && parsed.length === references.length ? { by, references: parsed } : undefined;
  };
  if (hasHost(name)) return found("itself", [complete(name, parts)]);
  const alias = ownValue(aliases, name);
  // An alias without a value removes that of another file.
  if (alias) return found("alias", [complete(alias, parts)]);
  return found(
    "search",
    unqualifiedSearchRegistries.map((registry) => complete(`${registry}/${name}`, parts)),
  );
}
