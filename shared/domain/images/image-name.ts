import type { Problem } from "../issues/issue.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import {
  type ImageReference,
  type ReferenceParts,
  splitReference,
  tryParseImageReference,
} from "./image-reference.ts";
import { formatRemedy } from "./location-format.ts";

/** The full references that an image name stands for, in the order in which nodes try them. */
export type ResolvedName = Readonly<{
  /** `itself` for a full reference; `alias` for an alias of registries.conf; `search` for the search registries. */
  by: "itself" | "alias" | "search";
  references: readonly ImageReference[];
}>;

type ShortNames = Readonly<{
  unqualifiedSearchRegistries?: readonly string[] | undefined;
  aliases?: Readonly<Record<string, string>> | undefined;
}>;

function hasHost(name: string): boolean {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  return /[.:]/.test(first) || first === "localhost";
}

function canonicalName(name: string): string {
  const slash = name.indexOf("/");
  const host = name.slice(0, slash).replace(/^index\.docker\.io$/, "docker.io");
  const path = name.slice(slash + 1);
  return host === "docker.io" && !path.includes("/") ? `${host}/library/${path}` : `${host}/${path}`;
}

/** Returns the reference that nodes pull: without the tag if there is a digest, with `latest` if there is neither. */
function complete(name: string, { tag, digest }: ReferenceParts): ImageReference | undefined {
  const suffix = digest === undefined ? `:${tag ?? "latest"}` : `@${digest}`;
  if (tag !== undefined && !tryParseImageReference(`${canonicalName(name)}:${tag}`)) return undefined;
  return tryParseImageReference(`${canonicalName(name)}${suffix}`);
}

/**
 * Resolves an image name as CRI-O does: to itself, to its alias, or to one reference for each search registry. Returns
 * undefined if the name is invalid or resolves to nothing. Only the given aliases are known: a node may have more.
 */
export function tryResolveName(
  image: string,
  { unqualifiedSearchRegistries = [], aliases = {} }: ShortNames = {},
): ResolvedName | undefined {
  const parts = splitReference(image);
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
  // An empty alias in one file removes the alias that another file defines.
  if (alias) return found("alias", [complete(alias, parts)]);
  return found(
    "search",
    unqualifiedSearchRegistries.map((registry) => complete(`${registry}/${name}`, parts)),
  );
}

/** Returns message and remedy if nodes cannot pull an image by this name; otherwise undefined. */
export function imageProblem(text: string): Pick<Problem, "message" | "remedy"> | undefined {
  if (tryResolveName(text) !== undefined) return undefined;
  return { message: "It is not a full image reference.", remedy: formatRemedy("image", text) };
}
