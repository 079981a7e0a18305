import type { MiddlewareHandler } from "hono";
import { hostName, loopbackHosts } from "#shared/adapters/network/host-header.ts";

/**
 * Refuses requests whose Host header names another host than loopback or one of these: a page of an attacker whose name
 * resolves to this machine could otherwise read the console through the viewer's browser (DNS rebinding).
 */
export function allowHosts(names: readonly string[]): MiddlewareHandler {
  const allowed = new Set([...loopbackHosts, ...names.map((name) => name.toLowerCase())]);
  return async (context, next) => {
    const host = context.req.header("host");
    if (host !== undefined && allowed.has(hostName(host))) return next();
    return context.text("This console is not served under that host name. See --host-name.\n", 421);
  };
}
