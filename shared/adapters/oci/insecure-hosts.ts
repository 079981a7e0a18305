/**
 * Reports whether a host (`host[:port]`) needs no valid certificate: it is listed with or without its port, or is below
 * a domain that is listed as `*.domain`. Source: containers-registries.conf(5), into which OpenShift's image
 * configuration writes insecure registries.
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
