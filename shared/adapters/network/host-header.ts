/** The names of this machine in a Host header. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the host of a Host header without its port, since tunnels change the port. */
export function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d*$/, "");
}
