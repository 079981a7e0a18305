import { isMirror, isSource } from "../../images/location-patterns.ts";

const tagFormat = /^\w[\w.-]{0,127}$/;
const digestFormat = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** The API's limit; the expressions above never see more. */
const maxLength = 512;

/** A host of one label is a name without registry to the container runtime, unless it is this one. */
function hasFullHost(name: string): boolean {
  const [host = ""] = name.split(/[/:]/, 1);
  return host === "localhost" || host.includes(".");
}

/**
 * True for what the API accepts as the scope of an image policy: like a source of mirrors, but the host is
 * written in full, and a single image may be named by tag, digest or both.
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

/** True for what the API accepts as the repository or prefix that a signature is compared with. */
export function isIdentityPrefix(prefix: string): boolean {
  return prefix.length <= maxLength && isMirror(prefix) && hasFullHost(prefix);
}
