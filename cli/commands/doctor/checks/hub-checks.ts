import { readdir } from "node:fs/promises";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { hubLocation } from "#shared/adapters/settings/hub-location.ts";
import { sentence } from "#shared/domain/credentials/redact.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { hubVersionOf } from "#shared/domain/precache/plan/selection/cluster-facts.ts";
import { maxClockDifferenceSeconds } from "#shared/domain/windows/clock.ts";
import { HubError, type HubErrorCode } from "#shared/ports/hub.ts";
import { namedAuthorities } from "#shared/registry/registry-access.ts";
import { imageConfigName } from "#shared/registry/well-known-names.ts";
import type { LeaseName } from "#shared/runtime/forwarder/lease.ts";
import { accessCheck, authoritiesCheck, neededAccess, reviewedOnce, withLease } from "./access-checks.ts";
import { type Check, note, ok, problem } from "./check.ts";
import { guardBinding, guardCheck, guardParameter, guardTitle } from "./guard-check.ts";
import { hubRbacManifests } from "./hub-roles.ts";
import { kindsCheck, neededKinds, servedKinds } from "./kind-checks.ts";
import { clockRemedy, leaseCheck } from "./lease-check.ts";
import { loginCheck } from "./login-check.ts";
import { monitoringCheck, userWorkloadPrometheus } from "./monitoring-check.ts";
import { registryAccessCheck, registryAccessTitle } from "./registry-access-check.ts";
import { kedaCheck, kubernetesCheck, scaledObject } from "./version-checks.ts";
import { workCheck } from "./work-check.ts";

export type HubCheckOptions = Readonly<{
  /** The leader election Lease of forwarders. */
  lease: LeaseName;
  /** Only the access of these accounts. */
  accounts: readonly string[] | undefined;
  /** Checks the permissions of the accounts, not of the caller. */
  asAccounts: boolean;
  now: () => Date;
}>;

const forwarder = "forwarder";
const reachRemedy =
  "Check that the API server can be reached from here: its address, VPN and firewall, HTTPS_PROXY and NO_PROXY, and the certificate authority in the kubeconfig.";

const remedies: Partial<Readonly<Record<HubErrorCode, string>>> = {
  Unauthorized: "The hub does not accept the kubeconfig's login: log in again, or give it a new token.",
  Forbidden: "Use credentials that allow this request; --as-accounts needs to create subjectaccessreviews.",
};

function failedCheck(name: string, error: unknown): Check {
  if (error instanceof HubError)
    return problem(name, `${error.message}.`, remedies[error.code] ?? reachRemedy);
  if (error instanceof EnvironmentError)
    return problem(name, error.message, "Correct HUBRELAY_HUB or KUBECONFIG.");
  throw error;
}

/** Missing permissions of the caller are a note: they say nothing about the hub. */
async function ifReadable(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof HubError && error.code === "Forbidden")) throw error;
    return note(name, `It was not checked: ${error.message}.`, "Use credentials that allow getting it.");
  }
}

async function kubernetesChecks(
  hub: HubInspection,
  environment: Environment,
  { accounts, asAccounts, lease, now }: HubCheckOptions,
): Promise<readonly Check[]> {
  const needed = withLease(neededAccess(await hubRbacManifests(), accounts), lease);
  const checks: Check[] = [];
  let name = "hub";
  try {
    const { version, serverTime } = await hub.version();
    const clock = clockCheck(serverTime, now());
    const user = (await hub.user()) ?? "the caller";
    checks.push(
      kubernetesCheck(version, sentence`Connected to ${hub.server}, Kubernetes ${version}, as ${user}.`),
      clock,
    );
    const loginEnd = await hub.loginEnd();
    if (loginEnd) checks.push(loginCheck(loginEnd, serverTime ?? now()));
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
    if (served.resources.get(apiVersion)?.has(plural)) {
      checks.push(await ifReadable(name, async () => workCheck(await hub.schema(kinds.ManifestWork))));
      name = guardTitle;
      checks.push(await ifReadable(name, () => guardChecked(hub)));
    }
    const isServed = async (kind: Kind) => (await hub.resources(kind.apiVersion))?.has(kind.plural);
    name = "KEDA";
    if (await isServed(scaledObject))
      checks.push(await ifReadable(name, async () => kedaCheck(await hub.schema(scaledObject))));
    name = "monitoring";
    const prometheus = userWorkloadPrometheus;
    if ((await isServed(kinds.ClusterVersion)) && (await isServed(prometheus.kind))) {
      const found = () => hub.object(prometheus.kind, prometheus.name, prometheus.namespace);
      checks.push(await ifReadable(name, async () => monitoringCheck(await found())));
    }
    name = "lease";
    if (needed.some((account) => account.name === forwarder)) {
      const held = () => hub.object(kinds.Lease, lease.name, lease.namespace);
      const check = async () => leaseCheck(lease, await held(), serverTime ?? now());
      checks.push(await ifReadable(name, check));
    }
    name = "authorities";
    const asking = needed.find((account) => account.name === "hosted-clusters");
    const hasImages = served.resources.get(kinds.Image.apiVersion)?.has(kinds.Image.plural);
    if (asking && hasImages) {
      const image = () => hub.object(kinds.Image, imageConfigName);
      const check = async () => authoritiesCheck(hub, namedAuthorities(await image()), asking, asAccounts);
      checks.push(await ifReadable(name, check));
    }
    name = registryAccessTitle;
    if (hasImages) checks.push(await registryAccessCheck(hub, environment, now()));
    name = "access";
    const reviewed = reviewedOnce(hub);
    for (const one of needed) checks.push(await accessCheck(reviewed, one, { asAccount: asAccounts, user }));
  } catch (error) {
    checks.push(failedCheck(name, error));
  }
  return checks;
}

async function guardChecked(hub: HubInspection): Promise<Check> {
  const binding = await hub.object(guardBinding.kind, guardBinding.name);
  const parameter = guardParameter(binding);
  return guardCheck(
    binding,
    parameter && (await hub.object(kinds.ConfigMap, parameter.name, parameter.namespace)),
  );
}

async function folderCheck(path: string): Promise<Check> {
  try {
    await readdir(path);
    return ok("hub", `The folder ${path} serves as the hub; it has no permissions, kinds or clock to check.`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return problem("hub", `The folder ${path} cannot be read (${code}).`, "Correct HUBRELAY_HUB.");
  }
}

/**
 * Checks the hub that HUBRELAY_HUB names: connection, clock, served kinds and permissions. A failure is a check, and
 * ends the checks that depend on it. Throws `UsageError` for an unknown account.
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
    return [failedCheck("hub", error)];
  }
  try {
    return await kubernetesChecks(hub, environment, options);
  } finally {
    hub.close();
  }
}

/** The server sends its time in whole seconds, and the response takes time. */
const unnoticedSeconds = 5;

/** Compares the clock of this machine with `serverTime`, the time in the hub's response. */
export function clockCheck(serverTime: Date | undefined, now: Date): Check {
  if (!serverTime)
    return note("clock", "The hub does not send its time.", "Compare the clocks yourself: date -u");
  const aheadSeconds = (now.getTime() - serverTime.getTime()) / 1000;
  const apartSeconds = Math.abs(aheadSeconds);
  const apart = `${Math.round(apartSeconds)} s ${aheadSeconds > 0 ? "ahead of" : "behind"} the hub's`;
  if (apartSeconds > maxClockDifferenceSeconds)
    return problem(
      "clock",
      `This machine's clock is ${apart}: a function that runs here opens no maintenance window, and tokens may not be valid yet.`,
      clockRemedy,
    );
  if (apartSeconds >= unnoticedSeconds)
    return note("clock", `This machine's clock is ${apart}.`, clockRemedy);
  return ok("clock", "This machine's clock and the hub's agree.");
}

/** Checks that the hub has an OpenShift version, with which versions of clusters are compared. */
function releaseCheck(clusterVersion: KubernetesObject | undefined): Check {
  const version = hubVersionOf(clusterVersion);
  return version === undefined
    ? note(
        "release",
        "No ClusterVersion has the hub's OpenShift version.",
        "Set HUBRELAY_HUB_VERSION for the function precache-plan; without it, clusters that are too old are not detected.",
      )
    : ok("release", sentence`The hub is OpenShift ${version}.`);
}
