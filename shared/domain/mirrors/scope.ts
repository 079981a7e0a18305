/*
 * A scope names a registry, a namespace, a repository or, with a leading `*.`, all sub-domains of a domain.
 * "Nested" is machine-config-operator's relation: it decides which entries inherit mirrors and flags when the
 * file is rendered. The container runtime matches references by a slightly different one: `pull-sources.ts`.
 */

/** True for a scope that stands for all sub-domains of a domain. */
export function isWildcard(scope: string): boolean {
  return scope.startsWith("*.");
}

/**
 * The part of a scope that a wildcard is compared with. With a port (or a tag) it is all before the first
 * colon, and a slash in it means that no wildcard matches: so `a.io/ns:tag` is in no wildcard.
 */
function wildcardSubject(scope: string): string {
  const colon = scope.indexOf(":");
  const slash = scope.indexOf("/");
  if (colon < 0) return slash < 0 ? scope : scope.slice(0, slash);
  return slash >= 0 && slash < colon ? "" : scope.slice(0, colon);
}

/**
 * True when every reference in `sub` is meant by `outer` too: they are equal, `sub` continues `outer` with a
 * slash, or `outer` is a wildcard over the host of `sub`. `a.io` contains neither `a.io:5000` nor `a.ions`,
 * `*.a.io` does not contain `a.io`.
 */
export function isNested(sub: string, outer: string): boolean {
  if (sub === outer) return true;
  if (sub.length > outer.length && sub.charCodeAt(outer.length) === 0x2f && sub.startsWith(outer))
    return true;
  return isWildcard(outer) && wildcardSubject(sub).endsWith(outer.slice(1));
}

/**
 * Calls `visit` with every scope, other than `scope` itself, that could contain it, whether somebody configured
 * it or not; stops early when `visit` answers true. `isNested(scope, outer)` holds for exactly these and
 * `scope`. Their number is that of the slashes and dots, so looking them up in a map replaces comparing every
 * scope with every other.
 */
export function someEnclosingScope(scope: string, visit: (outer: string) => boolean): boolean {
  for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1)) {
    if (visit(scope.slice(0, at))) return true;
  }
  const subject = wildcardSubject(scope);
  for (let at = subject.indexOf("."); at >= 0; at = subject.indexOf(".", at + 1)) {
    const outer = `*${subject.slice(at)}`;
    if (outer !== scope && visit(outer)) return true;
  }
  return false;
}

/** True when `scope` is nested in any of `scopes`. */
export function isNestedInAny(scope: string, scopes: ReadonlySet<string>): boolean {
  if (scopes.size === 0) return false;
  return scopes.has(scope) || someEnclosingScope(scope, (outer) => scopes.has(outer));
}
