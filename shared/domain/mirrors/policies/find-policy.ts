import type { Requirement, SignaturePolicy } from "./requirement.ts";

/** What policy.json demands of an image, and the scope that says so; undefined for the default. */
export type PolicyMatch = Readonly<{ scope: string | undefined; requirements: readonly Requirement[] }>;

/** The names that are looked up for a repository, most precise first: itself, what contains it, wildcards. */
function lookupNames(repository: string): readonly string[] {
  const names = [repository];
  for (let at = repository.lastIndexOf("/"); at >= 0; at = repository.lastIndexOf("/", at - 1)) {
    names.push(repository.slice(0, at));
    if (at === 0) break;
  }
  const [host = ""] = repository.split(/[/:]/, 1);
  for (let at = host.indexOf("."); at >= 0; at = host.indexOf(".", at + 1)) names.push(`*${host.slice(at)}`);
  return names;
}

/**
 * Finds what applies to a repository as the container runtime does: the name as the user wrote it decides, not
 * the mirror that the image comes from. `exact` is the full reference with tag or digest, where there is one.
 */
export function findPolicy(policy: SignaturePolicy, repository: string, exact?: string): PolicyMatch {
  for (const name of [...(exact === undefined ? [] : [exact]), ...lookupNames(repository)]) {
    const requirements = policy.scopes.get(name);
    if (requirements) return { scope: name, requirements };
  }
  return { scope: undefined, requirements: [policy.default] };
}
