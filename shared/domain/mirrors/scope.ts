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
 * Scopes by name, found by what they contain. The scopes that can contain another are known without looking at
 * any: those that its slashes and the dots of its host end. Looking these up replaces comparing all with all.
 */
export class ScopeIndex<Value> {
  readonly #values: ReadonlyMap<string, Value>;
  /** Only names of a length that occurs are worth a look, which keeps very long scopes cheap. */
  readonly #lengths: ReadonlySet<number>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
    this.#lengths = new Set([...values.keys()].map(({ length }) => length));
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The values of all scopes that contain `scope` and are not equal to it; one may be found twice. */
  enclosing(scope: string): readonly Value[] {
    const found: Value[] = [];
    const look = (name: string): void => {
      const value = this.#values.get(name);
      if (value !== undefined) found.push(value);
    };
    for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1)) {
      if (this.#lengths.has(at)) look(scope.slice(0, at));
    }
    const subject = wildcardSubject(scope);
    for (let at = subject.indexOf("."); at >= 0; at = subject.indexOf(".", at + 1)) {
      const name = this.#lengths.has(subject.length - at + 1) ? `*${subject.slice(at)}` : scope;
      if (name !== scope) look(name);
    }
    return found;
  }

  /** True when `scope` or a scope that contains it is in the index. */
  covers(scope: string): boolean {
    return !this.isEmpty && (this.#values.has(scope) || this.enclosing(scope).length > 0);
  }
}

/** An index for asking whether any of these scopes contains another. */
export function indexScopes(scopes: Iterable<string>): ScopeIndex<true> {
  return new ScopeIndex(new Map([...scopes].map((scope) => [scope, true])));
}
