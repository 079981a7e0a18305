// A scope names a registry, a namespace, a repository or, with a leading `*.`, all sub-domains of a domain. `isNested`
// follows machine-config-operator; the container runtime matches references by other rules: `pull-sources.ts`.

/** Reports whether the scope covers all sub-domains of a domain. */
export function isWildcard(scope: string): boolean {
  return scope.startsWith("*.");
}

/**
 * Returns the length of the part that wildcards match: up to the first colon, or else to the first slash; 0 if a slash
 * precedes the colon, as in `a.io/ns:tag`, which no wildcard matches.
 */
function wildcardSubjectLength(scope: string): number {
  const colon = scope.indexOf(":");
  const slash = scope.indexOf("/");
  if (colon < 0) return slash < 0 ? scope.length : slash;
  return slash >= 0 && slash < colon ? 0 : colon;
}

/**
 * Reports whether `outer` covers every reference in `sub`. `a.io` covers `a.io/b`, but neither `a.io:5000` nor
 * `a.ions`. `*.a.io` covers `b.a.io`, but not `a.io`.
 */
export function isNested(sub: string, outer: string): boolean {
  if (sub === outer) return true;
  if (sub.charCodeAt(outer.length) === 0x2f && sub.startsWith(outer)) return true;
  return isWildcard(outer) && sub.endsWith(outer.slice(1), wildcardSubjectLength(sub));
}

const any = (): boolean => true;

/** An index of values by scope. It quickly finds the scopes that contain a given scope. */
export class ScopeIndex<Value> {
  readonly #values = new Map<string, Value>();
  /** The values of the wildcards. The keys are the wildcards without `*`, so that a lookup creates no new string. */
  readonly #wildcards = new Map<string, Value>();
  /** The lengths of all scopes. Only prefixes of these lengths are looked up, which keeps very long scopes cheap. */
  readonly #lengths = new Set<number>();
  readonly #wildcardLengths = new Set<number>();

  constructor(values: Iterable<readonly [string, Value]> = []) {
    for (const [scope, value] of values) this.set(scope, value);
  }

  get(scope: string): Value | undefined {
    return this.#values.get(scope);
  }

  set(scope: string, value: Value): void {
    this.#values.set(scope, value);
    this.#lengths.add(scope.length);
    if (!isWildcard(scope)) return;
    this.#wildcards.set(scope.slice(1), value);
    this.#wildcardLengths.add(scope.length - 1);
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  #someEnclosing(scope: string, visit: (value: Value) => boolean): boolean {
    for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1)) {
      if (!this.#lengths.has(at)) continue;
      const value = this.#values.get(scope.slice(0, at));
      if (value !== undefined && visit(value)) return true;
    }
    if (this.#wildcards.size === 0) return false;
    const end = wildcardSubjectLength(scope);
    const itself = isWildcard(scope) && end === scope.length ? 1 : -1;
    for (let at = scope.indexOf("."); at >= 0 && at < end; at = scope.indexOf(".", at + 1)) {
      if (at === itself || !this.#wildcardLengths.has(end - at)) continue;
      const value = this.#wildcards.get(scope.slice(at, end));
      if (value !== undefined && visit(value)) return true;
    }
    return false;
  }

  /** Returns the values of all scopes that contain `scope`, without its own value. A value may be returned twice. */
  enclosing(scope: string): readonly Value[] {
    const found: Value[] = [];
    this.#someEnclosing(scope, (value) => {
      found.push(value);
      return false;
    });
    return found;
  }

  /** Reports whether `scope` or a scope that contains it is in the index. */
  covers(scope: string): boolean {
    if (this.isEmpty) return false;
    if (this.#lengths.has(scope.length) && this.#values.has(scope)) return true;
    return this.#someEnclosing(scope, any);
  }
}

/** Returns an index that reports whether one of these scopes covers a given scope. */
export function indexScopes(scopes: Iterable<string>): ScopeIndex<true> {
  // Stryker disable next-line BooleanLiteral: the value is never read, only its presence
  return new ScopeIndex([...scopes].map((scope) => [scope, true]));
}

/** Returns the registry of a repository. */
export function hostOf(repository: string): string {
  const slash = repository.indexOf("/");
  return slash < 0 ? repository : repository.slice(0, slash);
}

/**
 * Returns every scope that contains a repository, the narrowest first: the repository, its namespaces, its registry,
 * then wildcards over its host. `a.io` does not contain `a.io:5000/b`: a port makes another registry.
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

/** Replaces `scope`, or the host if `scope` is a wildcard, at the start of a reference by a mirror. */
export function atMirror(reference: string, scope: string, mirror: string): string {
  const length = scope.startsWith("*.") ? hostOf(reference).length : scope.length;
  return mirror + reference.slice(length);
}
