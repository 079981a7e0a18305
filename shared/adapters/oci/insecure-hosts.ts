/**
 * True when a host (`host[:port]`) is among those that need no certificate: it is named, it is named without its
 * port, or it is below a domain that is named as `*.domain`. Source: containers-registries.conf(5), as OpenShift's
 * image configuration writes insecure registries into it.
 */
export function isInsecure(host: string, insecureHosts: readonly string[] = []): boolean {
  const name = host.replace(/:\d+$/, "");
  return insecureHosts.some(
    (insecure) =>
      insecure === host ||
      insecure === name ||
      (insecure.startsWith("*.") && name.endsWith(insecure.slice(1)) && name.length >= insecure.length),
  );
}
