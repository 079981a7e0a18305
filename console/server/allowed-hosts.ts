import type { MiddlewareHandler } from "hono";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the host of a Host header without its port, which tunnels change. */
function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d*$/, "");
}

/**
 * Refuses requests whose Host header names another host than loopback or one of these: a page of an attacker whose name
 * resolves to this machine could otherwise read the console through the viewer's browser (DNS rebinding).
 */
export function allowHosts(names: readonly string[]): MiddlewareHandler {
  const allowed = new Set([...loopback, ...names.map((name) => name.toLowerCase())]);
  return async (context, next) => {
    const host = context.req.header("host");
    if (host !== undefined && allowed.has(hostName(host))) return next();
    return context.text("This console is not served under that host name. See --host-name.\n", 421);
  };
}
