import { isMirror, isSource } from "../../images/location-patterns.ts";

/** One scope of a policy, with its path for messages. */
export type PolicyScope = Readonly<{ scope: string; path: string }>;

const tagFormat = /^\w[\w.-]{0,127}$/;
const digestFormat = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** The API's limit, which bounds the time of the expressions above. */
const maxLength = 512;

/** The container runtime treats a host of one label as a name without registry, unless it is `localhost`. */
function hasFullHost(name: string): boolean {
  const [host = ""] = name.split(/[/:]/, 1);
  return host === "localhost" || host.includes(".");
}

/**
 * Reports whether the API accepts the scope of an image policy: like a source of mirrors, but with a full host, and
 * a single image may have a tag, a digest or both.
 */
export function isPolicyScope(scope: string): boolean {
  if (scope.length > maxLength) return false;
  if (scope.includes("*")) return isSource(scope);
  const at = scope.indexOf("@");
  if (at >= 0 && !digestFormat.test(scope.slice(at + 1))) return false;
  const named = at < 0 ? scope : scope.slice(0, at);
  if (isMirror(named)) return hasFullHost(named);
  const colon = named.lastIndexOf(":");
  if (colon < 0 || !tagFormat.test(named.slice(colon + 1))) return false;
  const repository = named.slice(0, colon);
  return isMirror(repository) && hasFullHost(repository);
}

/** Reports whether the API accepts the repository or prefix that a signature is compared with. */
export function isIdentityPrefix(prefix: string): boolean {
  // The API takes the port of a host without a path for a tag, except that of `localhost`.
  const isTagged = prefix.includes(":", prefix.lastIndexOf("/") + 1) && !/^localhost:\d+$/.test(prefix);
  return prefix.length <= maxLength && isMirror(prefix) && hasFullHost(prefix) && !isTagged;
}
