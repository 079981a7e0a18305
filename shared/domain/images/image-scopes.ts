/** Returns the registry of a repository (`host[:port]/path` without tag and digest). */
export function hostOf(repository: string): string {
  const slash = repository.indexOf("/");
  return slash < 0 ? repository : repository.slice(0, slash);
}

/**
 * Returns every source whose rules apply to this repository, the narrowest first: the repository, its namespaces,
 * its registry, then wildcards over its host. Only whole path components match, and `a.io` does not match
 * `a.io:5000`: a port makes another registry.
 */
export function enclosingScopes(repository: string): readonly string[] {
  const scopes = [repository];
  for (let at = repository.lastIndexOf("/"); at > 0; at = repository.lastIndexOf("/", at - 1))
    scopes.push(repository.slice(0, at));
  const host = hostOf(repository);
  if (host.includes(":")) return scopes;
  for (let at = host.indexOf("."); at >= 0; at = host.indexOf(".", at + 1)) scopes.push(`*${host.slice(at)}`);
  return scopes;
}

/** Returns a reference with its scope replaced by a mirror. */
export function atMirror(reference: string, scope: string, mirror: string): string {
  const length = scope.startsWith("*.") ? hostOf(reference).length : scope.length;
  return mirror + reference.slice(length);
}
