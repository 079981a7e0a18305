import { readdir } from "node:fs/promises";
import { interests } from "#functions/interests.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/environment.ts";
import { hubPlace } from "#shared/adapters/hub-place.ts";
import type { HubInspection } from "#shared/adapters/kubernetes-hub/inspection.ts";
import { HubError, type HubErrorCode } from "#shared/ports/hub.ts";
import { accessCheck, neededAccess } from "./access-checks.ts";
import { type Check, ok, problem } from "./check.ts";
import { clockCheck } from "./clock-check.ts";
import { hubRbacManifests } from "./hub-roles.ts";
import { kindsCheck, servedKinds } from "./kind-checks.ts";

export type HubCheckOptions = Readonly<{
  /** Only the access of these accounts. */
  accounts: readonly string[] | undefined;
  /** Asks what the accounts may do, not the caller. */
  asAccounts: boolean;
  now: () => Date;
}>;

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

async function kubernetesChecks(
  hub: HubInspection,
  { accounts, asAccounts, now }: HubCheckOptions,
): Promise<readonly Check[]> {
  const needed = neededAccess(await hubRbacManifests(), accounts);
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
      interests.flatMap(({ kinds }) => kinds),
    );
    checks.push(...interests.map((interest) => kindsCheck(interest, served)));
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
    const place = hubPlace(environment);
    if (place.from === "directory") return [await folderCheck(place.path)];
    const { inspectKubernetesHub } = await import("#shared/adapters/open-kubernetes-hub.ts");
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
