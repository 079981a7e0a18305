import { isIP } from "node:net";
import { Environment, Optional } from "@marcbachmann/cel-js";
import { isDnsLabel, isDnsSubdomain } from "#shared/domain/issues/object-name.ts";
import { type GoUrl, parseGoUrl } from "./go-url.ts";
import { linearPattern } from "./linear-pattern.ts";

/* The CEL functions of Kubernetes that CRDs of OpenShift use. */

class CelUrl {
  readonly url: GoUrl;
  constructor(url: GoUrl) {
    this.url = url;
  }
}

class CelAddress {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  get family(): bigint {
    return BigInt(isIP(this.text));
  }
}

class CelNetwork {
  readonly address: CelAddress;
  readonly bits: bigint;
  constructor(address: CelAddress, bits: bigint) {
    this.address = address;
    this.bits = bits;
  }
}

/** A named format, as in `format.dns1123Label()`. */
class CelFormat {
  readonly problem: (text: string) => string | undefined;
  constructor(problem: (text: string) => string | undefined) {
    this.problem = problem;
  }
}

class CelFormats {}

function parseUrl(text: string): CelUrl {
  const url = parseGoUrl(text);
  if (!url) throw new Error(`URL parse error during conversion from string: ${text}`);
  return new CelUrl(url);
}

function queryOf({ url }: CelUrl): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(url.query)) {
    query.set(name, [...(query.get(name) ?? []), value]);
  }
  return query;
}

/** Kubernetes rejects addresses with a zone, and IPv4 addresses written as IPv6. */
const isAddress = (text: string) => isIP(text) !== 0 && !text.includes("%") && !/^::ffff:/i.test(text);

function parseNetwork(text: string): CelNetwork | undefined {
  const [address = "", bits = "", ...more] = text.split("/");
  const fits = isAddress(address) && /^(?:0|[1-9]\d{0,2})$/.test(bits) && more.length === 0;
  if (!fits || Number(bits) > (isIP(address) === 4 ? 32 : 128)) return undefined;
  return new CelNetwork(new CelAddress(address), BigInt(bits));
}

function network(text: string): CelNetwork {
  const found = parseNetwork(text);
  if (!found) throw new Error(`network address parse error during conversion from string: ${text}`);
  return found;
}

function address(text: string): CelAddress {
  if (!isAddress(text)) throw new Error(`IP Address parse error during conversion from string: ${text}`);
  return new CelAddress(text);
}

const qualified = (text: string) => /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(text);

function qualifiedName(text: string): boolean {
  const parts = text.split("/");
  const [prefix, name] = parts.length === 1 ? [undefined, parts[0]] : parts;
  return parts.length <= 2 && qualified(name ?? "") && (prefix === undefined || isDnsSubdomain(prefix));
}

/** Named as in Kubernetes' `format` library. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: isDnsLabel,
  dns1123Subdomain: isDnsSubdomain,
  dns1035Label: (text) => isDnsLabel(text) && /^[a-z]/.test(text),
  labelValue: (text) => text === "" || qualified(text),
  qualifiedName,
};

function find(text: string, pattern: string): string {
  const matcher = patternOf(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function patternOf(pattern: string) {
  const compiled = linearPattern(pattern);
  if (!compiled) throw new Error(`error parsing regexp: ${pattern}`);
  return compiled;
}

function addFormats(environment: Environment): void {
  environment.registerType("KubernetesFormat", { ctor: CelFormat, fields: {} });
  environment.registerType("KubernetesFormats", { ctor: CelFormats, fields: {} });
  environment.registerConstant("format", "KubernetesFormats", new CelFormats());
  for (const [name, fits] of Object.entries(formats)) {
    const format = new CelFormat((text) => (fits(text) ? undefined : `${text} is no ${name}`));
    environment.registerFunction(`KubernetesFormats.${name}(): KubernetesFormat`, () => format);
  }
  environment.registerFunction(
    "KubernetesFormat.validate(string): optional<list<string>>",
    (format: CelFormat, text: string) => {
      const problem = format.problem(text);
      return problem === undefined ? Optional.none() : Optional.of([problem]);
    },
  );
}

function addNetworks(environment: Environment): void {
  environment.registerType("KubernetesURL", { ctor: CelUrl, fields: {} });
  environment.registerType("KubernetesIP", { ctor: CelAddress, fields: {} });
  environment.registerType("KubernetesCIDR", { ctor: CelNetwork, fields: {} });
  environment.registerFunction("isURL(string): bool", (text: string) => parseGoUrl(text) !== undefined);
  environment.registerFunction("url(string): KubernetesURL", parseUrl);
  environment.registerFunction("KubernetesURL.getScheme(): string", ({ url }: CelUrl) => url.scheme);
  environment.registerFunction("KubernetesURL.getHost(): string", ({ url }: CelUrl) => url.host);
  environment.registerFunction("KubernetesURL.getHostname(): string", ({ url }: CelUrl) => url.hostname);
  environment.registerFunction("KubernetesURL.getPort(): string", ({ url }: CelUrl) => url.port);
  environment.registerFunction("KubernetesURL.getEscapedPath(): string", ({ url }: CelUrl) => url.path);
  environment.registerFunction("KubernetesURL.getQuery(): map<string, list<string>>", queryOf);
  environment.registerFunction("isIP(string): bool", isAddress);
  environment.registerFunction("ip(string): KubernetesIP", address);
  environment.registerFunction("KubernetesIP.family(): int", ({ family }: CelAddress) => family);
  environment.registerFunction("isCIDR(string): bool", (text: string) => parseNetwork(text) !== undefined);
  environment.registerFunction("cidr(string): KubernetesCIDR", network);
  environment.registerFunction("KubernetesCIDR.ip(): KubernetesIP", ({ address }: CelNetwork) => address);
  environment.registerFunction("KubernetesCIDR.prefixLength(): int", ({ bits }: CelNetwork) => bits);
}

/** Returns the CEL environment of an API server, with `self` and `oldSelf`. */
export function celEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
  });
  addNetworks(environment);
  addFormats(environment);
  environment.registerFunction("string.find(string): string", find);
  environment.registerFunction("string.matchesLinear(string): bool", (text: string, pattern: string) =>
    patternOf(pattern).matcher(text).find(),
  );
  return environment;
}

/** Replaces `matches` by an RE2 version: some patterns of CRDs would hang the library's engine. */
export function withLinearMatching(expression: string): string {
  return expression.replace(
    /("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\.\s*matches\s*\(/gs,
    (_, text: string | undefined) => text ?? ".matchesLinear(",
  );
}
