/** The names that a Host header may have for this machine itself. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Returns a Host header without its port. Tunnels change the port, so it says nothing. */
export function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d*$/, "");
}
