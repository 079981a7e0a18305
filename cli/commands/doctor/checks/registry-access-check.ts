import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { hostOfKey } from "#shared/adapters/oci/pull-secret.ts";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { parsePullSecret } from "#shared/domain/credentials/pull-secret.ts";
import {
  type AccessEnd,
  accessEnds,
  endingSoon,
  endRemedy,
  endText,
  remainingSeconds,
} from "#shared/domain/ready/access-ends.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
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
  return [...new Set(hosts)].filter((host) => host !== "").slice(0, maxHosts);
}

/** Contacts registries without a login, for their certificates. One that does not respond has none. */
async function certificatesOf(access: RegistryAccess, environment: Environment) {
  const { ociRegistry } = await import("#shared/adapters/oci/oci-registry.ts");
  const registry = ociRegistry({ environment, maxAttempts: 1 });
  const { pullSecret: _, ...trust } = access;
  const contact = (host: string) =>
    registry.digest(`${host}/hubrelay/doctor:1`, trust).catch(() => undefined);
  try {
    await Promise.all(hostsOf(access).map(contact));
    return new Map(registry.certificates);
  } finally {
    registry.close();
  }
}

/** Reports what ends first of what nodes need at registries. */
export function accessEndsCheck(ends: readonly AccessEnd[], now: Date): Check {
  const [first, ...others] = endingSoon(ends, now);
  if (!first) {
    const [next] = ends;
    return ok(
      registryAccessTitle,
      next ? `${endText(next, now)}; nothing ends before.` : "Nothing with an end was found that nodes need.",
    );
  }
  const more = others.length > 0 ? ` ${others.length} more end within two weeks.` : "";
  const report = remainingSeconds(first, now) < 0 ? problem : note;
  return report(registryAccessTitle, `${endText(first, now)}.${more}`, endRemedy(first));
}

/** Checks when the certificates of registries, the authorities and the tokens end that the hub's own nodes use. */
export async function registryAccessCheck(
  hub: Pick<HubInspection, "object">,
  environment: Environment,
  now: Date,
): Promise<Check> {
  const { access } = await clusterAccess({ get: hub.object });
  return accessEndsCheck(accessEnds(access, await certificatesOf(access, environment)), now);
}
