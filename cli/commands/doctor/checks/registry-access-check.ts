import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { hostOfKey } from "#shared/adapters/oci/pull-secret.ts";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { parsePullSecret } from "#shared/domain/credentials/pull-secret.ts";
import { sentence } from "#shared/domain/credentials/redact.ts";
import {
  type AccessEnd,
  accessEnds,
  endingSoon,
  endRemedy,
  endText,
  remainingSeconds,
} from "#shared/domain/ready/access-ends.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { clusterAccess } from "#shared/registry/registry-access.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** The name of the check. */
export const registryAccessTitle = "registry access";
/** More registries are not contacted. */
const maxHosts = 20;

/** Returns the hosts of the registries that the cluster has a login or an authority for. */
function hostsOf({ pullSecret = "", authoritiesOf = {} }: RegistryAccess): readonly string[] {
  const secret = parsePullSecret(pullSecret);
  const keys = "problem" in secret ? [] : [...secret.credentials.keys(), ...secret.empty];
  const hosts = [...Object.keys(authoritiesOf), ...keys.map(hostOfKey)];
  return [...new Set(hosts)].filter((host) => host !== "");
}

const noConnection: readonly string[] = ["Timeout", "Unavailable", "Untrusted"];

/** Contacts registries without a login, for their certificates, and names those whose certificate it has not seen. */
async function certificatesOf(access: RegistryAccess, environment: Environment) {
  const { ociRegistry } = await import("#shared/adapters/oci/oci-registry.ts");
  const registry = ociRegistry({ environment, maxAttempts: 1 });
  const { pullSecret: _, ...trust } = access;
  const hosts = hostsOf(access);
  const unseen = hosts.slice(maxHosts);
  const contact = async (host: string) => {
    try {
      await registry.digest(`${host}/hubrelay/doctor:1`, trust);
    } catch (error) {
      if (error instanceof RegistryError && noConnection.includes(error.code)) unseen.push(host);
    }
  };
  try {
    await Promise.all(hosts.slice(0, maxHosts).map(contact));
    return { certificates: new Map(registry.certificates), unseen: unseen.sort() };
  } finally {
    registry.close();
  }
}

function unseenText([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  const more = others.length > 0 ? ` and of ${others.length} more` : "";
  return sentence` Not seen: the certificate of ${first}${more}.`;
}

/**
 * Reports what ends first of what nodes need at registries, and how many registries' certificates were not seen: `unseen`
 * has their hosts.
 */
export function accessEndsCheck(ends: readonly AccessEnd[], unseen: readonly string[], now: Date): Check {
  const [first, ...others] = endingSoon(ends, now);
  if (!first) {
    const [next] = ends;
    const found = next
      ? `${endText(next, now)}; nothing ends before.`
      : "Nothing with an end was found that nodes need.";
    return ok(registryAccessTitle, `${found}${unseenText(unseen)}`);
  }
  const verb = others.length === 1 ? "ends" : "end";
  const more = others.length > 0 ? ` ${others.length} more ${verb} within two weeks.` : "";
  const report = remainingSeconds(first, now) < 0 ? problem : note;
  return report(registryAccessTitle, `${endText(first, now)}.${more}${unseenText(unseen)}`, endRemedy(first));
}

/** Checks when the certificates of registries, the authorities and the tokens end that the hub's own nodes use. */
export async function registryAccessCheck(
  hub: Pick<HubInspection, "object">,
  environment: Environment,
  now: Date,
): Promise<Check> {
  const { access } = await clusterAccess({ get: hub.object });
  const { certificates, unseen } = await certificatesOf(access, environment);
  return accessEndsCheck(accessEnds(access, certificates), unseen, now);
}
