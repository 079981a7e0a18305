import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import type { RegistriesConf } from "../registries-conf/registries-conf.ts";

/** The full references that a person's name of an image stands for, in the order in which they are tried. */
export type ResolvedName = Readonly<{
  /** How the name became full: it was, by an alias of registries.conf, or by the list of search registries. */
  by: "itself" | "alias" | "search";
  references: readonly ImageReference[];
}>;

type SplitName = Readonly<{ name: string; tag: string | undefined; digest: string | undefined }>;

/** Takes tag and digest off. A colon before a slash belongs to the port. */
function split(image: string): SplitName {
  const at = image.indexOf("@");
  const named = at < 0 ? image : image.slice(0, at);
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  if (colon < 0) return { name: named, tag: undefined, digest };
  return { name: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

/** True when the first part of the name is a host: it has a dot or a port, or is `localhost`. */
function hasHost(name: string): boolean {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  return /[.:]/.test(first) || first === "localhost";
}

/** The name as docker.io really has it: its old host, and the namespace of official images. */
function canonicalName(name: string): string {
  const slash = name.indexOf("/");
  const host = name.slice(0, slash).replace(/^index\.docker\.io$/, "docker.io");
  const path = name.slice(slash + 1);
  return host === "docker.io" && !path.includes("/") ? `${host}/library/${path}` : `${host}/${path}`;
}

/**
 * A digest is more precise than a tag, and runtimes drop the tag of a reference with both; one with neither
 * means `latest`.
 */
function complete(name: string, { tag, digest }: SplitName): ImageReference | undefined {
  const suffix = digest === undefined ? `:${tag ?? "latest"}` : `@${digest}`;
  if (tag !== undefined && !tryParseImageReference(`${canonicalName(name)}:${tag}`)) return undefined;
  return tryParseImageReference(`${canonicalName(name)}${suffix}`);
}

/**
 * Reads an image name the way CRI-O does on OpenShift: `docker.io/alpine` is `docker.io/library/alpine`, a name
 * without a host is looked for under its alias if it has one, else at every search registry in order. Undefined
 * when it is no image name, or a short name that nothing makes full.
 *
 * Only the aliases of `conf` are known here: a node's operating system may ship more of them.
 */
export function tryResolveName(
  image: string,
  {
    unqualifiedSearchRegistries = [],
    aliases = {},
  }: Pick<RegistriesConf, "unqualifiedSearchRegistries" | "aliases">,
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
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias !== undefined) return found("alias", [complete(alias, parts)]);
  return found(
    "search",
    unqualifiedSearchRegistries.map((registry) => complete(`${registry}/${name}`, parts)),
  );
}
