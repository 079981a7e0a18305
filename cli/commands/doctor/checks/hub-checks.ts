import { readdir } from "node:fs/promises";
import { namedAuthorities } from "#functions/hosted-clusters/observe/registry-access.ts";
import { imageConfigName } from "#functions/hosted-clusters/well-known-names.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { hubLocation } from "#shared/adapters/settings/hub-location.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { hubVersionOf } from "#shared/domain/precache/plan/selection/cluster-facts.ts";
import { HubError, type HubErrorCode } from "#shared/ports/hub.ts";
import type { LeaseName } from "#shared/runtime/lease.ts";
import { accessCheck, neededAccess, withLease } from "./access-checks.ts";
import { authoritiesCheck } from "./authorities-check.ts";
import { type Check, note, ok, problem } from "./check.ts";
import { hubRbacManifests } from "./hub-roles.ts";
import { kindsCheck, servedKinds } from "./kind-checks.ts";
import { leaseCheck } from "./lease-check.ts";
import { neededKinds } from "./needed-kinds.ts";
import { workCheck } from "./work-check.ts";

export type HubCheckOptions = Readonly<{
  /** What forwarders take turns with. */
  lease: LeaseName;
  /** Only the access of these accounts. */
  accounts: readonly string[] | undefined;
  /** Asks what the accounts may do, not the caller. */
  asAccounts: boolean;
  now: () => Date;
}>;

const forwarder = "forwarder";
const reach =
  "See that the API server can be reached from here: its address, VPN and firewall, HTTPS_PROXY and NO_PROXY, and the certificate authority in the kubeconfig.";

const remedies: Partial<Readonly<Record<HubErrorCode, string>>> = {
  Unauthorized: "The hub does not accept the kubeconfig's credentials: log in again, or give it a new token.",
  Forbidden: "Ask with credentials that may ask this; --as-accounts needs to create subjectaccessreviews.",
};

function troubleOf(name: string, error: unknown): Check {
  if (error instanceof HubError) return problem(name, `${error.message}.`, remedies[error.code] ?? reach);
  if (error instanceof EnvironmentError)
    return problem(name, error.message, "Correct HUBRELAY_HUB or KUBECONFIG.");
  throw error;
}

/** What the caller may not read tells nothing about the hub. */
async function ifReadable(name: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof HubError && error.code === "Forbidden")) throw error;
    return note(name, `It was not looked at: ${error.message}.`, "Ask with credentials that may get it.");
  }
}

async function kubernetesChecks(
  hub: HubInspection,
  { accounts, asAccounts, lease, now }: HubCheckOptions,
): Promise<readonly Check[]> {
  const needed = withLease(neededAccess(await hubRbacManifests(), accounts), lease);
  const checks: Check[] = [];
  let name = "hub";
  try {
    const { version, serverTime } = await hub.version();
    const clock = clockCheck(serverTime, now());
    const user = (await hub.user()) ?? "the caller";
    checks.push(ok(name, `${hub.server} answers, Kubernetes ${version}, to ${user}.`), clock);
    name = "kinds";
    const served = await servedKinds(
      hub,
      neededKinds.flatMap(({ kinds, besides = [] }) => [...kinds, ...besides]),
    );
    checks.push(...neededKinds.map((one) => kindsCheck(one, served)));
    name = "release";
    const clusterVersion = () => hub.object(kinds.ClusterVersion, "version");
    checks.push(await ifReadable(name, async () => releaseCheck(await clusterVersion())));
    name = "ManifestWork";
    const { apiVersion, plural } = kinds.ManifestWork;
    if (served.resources.get(apiVersion)?.has(plural))
      checks.push(await ifReadable(name, async () => workCheck(await hub.schema(kinds.ManifestWork))));
    name = "lease";
    if (needed.some((account) => account.name === forwarder)) {
      const held = () => hub.object(kinds.Lease, lease.name, lease.namespace);
      const look = async () => leaseCheck(lease, await held(), serverTime ?? now());
      checks.push(await ifReadable(name, look));
    }
    name = "authorities";
    const asking = needed.find((account) => account.name === "hosted-clusters");
    const hasImages = served.resources.get(kinds.Image.apiVersion)?.has(kinds.Image.plural);
    if (asking && hasImages) {
      const image = () => hub.object(kinds.Image, imageConfigName);
      const look = async () => authoritiesCheck(hub, namedAuthorities(await image()), asking, asAccounts);
      checks.push(await ifReadable(name, look));
    }
    name = "access";
    for (const one of needed) checks.push(await accessCheck(hub, one, { asAccount: asAccounts, user }));
  } catch (error) {
    checks.push(troubleOf(name, error));
  }
  return checks;
}

async function folderCheck(path: string): Promise<Check> {
  try {
    await readdir(path);
    return ok("hub", `The folder ${path} plays the hub; it has no permissions, kinds or clock to look at.`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return problem("hub", `The folder ${path} cannot be read (${code}).`, "Correct HUBRELAY_HUB.");
  }
}

/**
 * Looks at the hub that HUBRELAY_HUB names: whether it answers, whose clock is wrong, what it serves and who may do
 * what there. Trouble is a check, and ends the checks that depend on it. Throws `UsageError` for an unknown account.
 */
export async function hubChecks(
  environment: Environment,
  options: HubCheckOptions,
): Promise<readonly Check[]> {
  let hub: HubInspection;
  try {
    const place = hubLocation(environment);
    if (place.from === "directory") return [await folderCheck(place.path)];
    const { inspectKubernetesHub } = await import("#shared/adapters/hub/kubernetes/open-kubernetes-hub.ts");
    hub = await inspectKubernetesHub(place, environment);
  } catch (error) {
    return [troubleOf("hub", error)];
  }
  try {
    return await kubernetesChecks(hub, options);
  } finally {
    hub.close();
  }
}

/** What the server's answer shows only to the second, and the way there. */
const unnoticedMs = 5_000;
/** Beyond it, tokens and certificates may not be valid yet, and waits of 90 seconds are wrong. */
const harmfulMs = 60_000;

/** How far the clock of this machine is from the hub's, of which the answer told at `serverTime`. */
export function clockCheck(serverTime: Date | undefined, now: Date): Check {
  if (!serverTime)
    return note("clock", "The hub does not tell its time.", "Compare the clocks yourself: date -u");
  const aheadMs = now.getTime() - serverTime.getTime();
  const apart = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead of" : "behind"} the hub's`;
  const remedy = "Let both machines follow the same time server (NTP); chronyc tracking tells.";
  if (Math.abs(aheadMs) >= harmfulMs) return problem("clock", `This machine's clock is ${apart}.`, remedy);
  if (Math.abs(aheadMs) >= unnoticedMs) return note("clock", `This machine's clock is ${apart}.`, remedy);
  return ok("clock", "This machine's clock and the hub's agree.");
}

/** The OpenShift version of the hub: what clusters' versions are measured by. */
export function releaseCheck(clusterVersion: KubernetesObject | undefined): Check {
  const version = hubVersionOf(clusterVersion);
  return version === undefined
    ? note(
        "release",
        "No ClusterVersion tells the hub's OpenShift version.",
        "Set HUBRELAY_HUB_VERSION where the function precache-plan runs, else it cannot say which clusters are too old.",
      )
    : ok("release", `The hub is OpenShift ${version}.`);
}
