import { BlockList, isIP } from "node:net";
import { ownValue } from "../../domain/kubernetes/json/values.ts";
import type { Environment } from "../settings/environment.ts";

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function setting(environment: Environment, name: string): string {
  return ownValue(environment, name) || ownValue(environment, name.toLowerCase()) || "";
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isInNetwork(host: string, network: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  if (!isIP(host) || !isIP(address) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family(address) === "ipv6" ? 128 : 32)) return false;
  const networks = new BlockList();
  networks.addSubnet(address, Number(bits), family(address));
  return networks.check(host, family(host));
}

/** An entry of NO_PROXY is `*`, an address, a network, or a domain with its subdomains. */
function isExcludedBy(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInNetwork(host, entry);
  const [, name = entry, wantedPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort && wantedPort !== port) return false;
  const domain = name.replace(/^\[(.+)\]$/, "$1").replace(/^\*\./, ".");
  if (domain.startsWith(".")) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

/** Returns the proxy's URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY; undefined without one. Behaviour: kubectl. */
export function proxyFor(server: URL, environment: Environment): string | undefined {
  const proxy = setting(environment, server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  const host = server.hostname
    .toLowerCase()
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/\.$/, "");
  if (!proxy || isLoopback(host)) return undefined;
  const port = server.port || (ownValue(defaultPorts, server.protocol) ?? "");
  const entries = setting(environment, "NO_PROXY")
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean);
  if (entries.some((entry) => isExcludedBy(entry, host, port))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}
