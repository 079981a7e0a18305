/** The names that a Host header may have for this machine itself. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Returns a Host header without its port, which tunnels change. */
export function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d*$/, "");
}
