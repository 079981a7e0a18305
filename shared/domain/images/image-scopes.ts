/** The registry of a repository (`host[:port]/path` without tag and digest). */
export function hostOf(repository: string): string {
  const slash = repository.indexOf("/");
  return slash < 0 ? repository : repository.slice(0, slash);
}

/**
 * Every source that a rule can have to mean this repository, the narrowest first: itself, the namespaces around
 * it, its registry, then wildcards over its host. Only whole parts of the path count, and `a.io` does not mean
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

/** The text of a reference with the part that the scope stands for replaced by a mirror. */
export function atMirror(reference: string, scope: string, mirror: string): string {
  const length = scope.startsWith("*.") ? hostOf(reference).length : scope.length;
  return mirror + reference.slice(length);
}
