import { readdir } from "node:fs/promises";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import type { KubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { openKubernetesHub } from "#shared/adapters/hub/kubernetes/open-kubernetes-hub.ts";
import { once } from "#shared/adapters/loaded-when-used.ts";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { hubLocation } from "#shared/adapters/settings/hub-location.ts";
import { type Kind, kinds, namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { LeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import {
  accessVerdict,
  hubRbacManifests,
  type NeededAccess,
  neededAccess,
  refusedOf,
  withLease,
} from "./access-rows.ts";
import {
  type Check,
  checksOf,
  failed,
  note,
  ok,
  problem,
  type ReadFailure,
  type Row,
  row,
  type Verdict,
} from "./check.ts";
import {
  clockVerdict,
  deploymentKind,
  forms,
  formsVerdict,
  guardBinding,
  guardParameter,
  guardVerdict,
  leaseVerdict,
} from "./deployment-rows.ts";
import { loginVerdict } from "./environment-rows.ts";
import { kindsVerdict, kubernetesVerdict, neededKinds, servedKinds } from "./kind-rows.ts";

export type HubCheckOptions = Readonly<{
  lease: LeaseName;
  /** The accounts whose access is checked; undefined for all accounts. */
  accounts: readonly string[] | undefined;
  /** True to check the permissions of the deployment's accounts, false to check the caller's permissions. */
  asAccounts: boolean;
  now: () => Date;
}>;

/** The kind of the Prometheus that reads PodMonitors and PrometheusRules in users' projects on OpenShift. */
const userWorkloads = namespacedKind("monitoring.coreos.com/v1", "Prometheus");

function hubFix({ code }: ReadFailure): string {
  if (code === "InvalidEnvironment") return "Correct HUBRELAY_HUB or KUBECONFIG.";
  if (code === "Unauthorized")
    return "The hub does not accept the kubeconfig's login: log in again, or give it a new token.";
  return code === "Forbidden"
    ? "Use credentials that allow this request; --as-accounts needs to create subjectaccessreviews."
    : "Check that the API server can be reached from here: its address, VPN and firewall, HTTPS_PROXY and NO_PROXY, and the certificate authority in the kubeconfig.";
}

/** The names of the rows for which a forbidden read is a problem. For other rows, a forbidden read is only a note. */
const unavoidable: readonly string[] = ["hub", "kinds", "access"];

/** The hub's operations that the checks need. */
export type InspectedHub = HubInspection & Pick<KubernetesHub, "id" | "get" | "loginEnd" | "close">;

/** Returns the checks of a hub in the order in which they run. */
export function hubRows(
  hub: InspectedHub,
  needed: readonly NeededAccess[],
  { lease, asAccounts, now }: HubCheckOptions,
): readonly Row[] {
  const met = once(async () => ({ ...(await hub.version()), now: now() }));
  const user = once(async () => (await hub.user()) ?? "the caller");
  const hubTime = async () => (await met()).serverTime ?? now();
  const serves = (kind: Kind) => async () =>
    (await hub.resources(kind.apiVersion))?.has(kind.plural) ?? false;
  return [
    row({
      name: "hub",
      read: async () => ({ ...(await met()), user: await user() }),
      judge: ({ version, user }) =>
        kubernetesVerdict(version, sentence`Connected to ${hub.id}, Kubernetes ${version}, as ${user}.`),
    }),
    row({ name: "clock", read: met, judge: ({ serverTime, now }) => clockVerdict(serverTime, now) }),
    row({
      name: "login",
      read: async () => ({ end: await hub.loginEnd(), at: await hubTime() }),
      judge: ({ end, at }) => (end ? loginVerdict("The kubeconfig's login", end, at) : []),
    }),
    row({
      name: "kinds",
      read: () => servedKinds(hub),
      judge: (served) =>
        neededKinds.map((one) => ({ ...kindsVerdict(one, served), name: `kinds of ${one.name}` })),
    }),
    row({
      name: "pre-caching guard",
      when: serves(kinds.ManifestWork),
      read: async () => {
        const binding = await hub.get(guardBinding.kind, guardBinding.name);
        const parameter = guardParameter(binding);
        const { name = "", namespace } = parameter ?? {};
        return { parameter, configMap: parameter && (await hub.get(kinds.ConfigMap, name, namespace)) };
      },
      judge: ({ parameter, configMap }) => guardVerdict(parameter, configMap),
    }),
    row({
      name: "monitoring",
      when: async () => (await serves(kinds.ClusterVersion)()) && (await serves(userWorkloads)()),
      read: () => hub.get(userWorkloads, "user-workload", "openshift-user-workload-monitoring"),
      // Without this Prometheus, the hub accepts hubrelay's alerts, but nothing evaluates them.
      judge: (prometheus) =>
        prometheus
          ? ok("OpenShift monitors user-defined projects.")
          : note(
              "OpenShift does not monitor user-defined projects: it has neither metrics nor alerts of hubrelay.",
              "Set enableUserWorkload: true in the ConfigMap cluster-monitoring-config of the namespace openshift-monitoring.",
            ),
    }),
    row({
      name: "lease",
      when: () => needed.some(({ name }) => name === "forwarder"),
      read: async () => ({
        held: await hub.get(kinds.Lease, lease.name, lease.namespace),
        at: await hubTime(),
      }),
      judge: ({ held, at }) => leaseVerdict(lease, held, at),
    }),
    row({
      name: "forms of deployment",
      read: () => Promise.all(forms.map((name) => hub.get(deploymentKind, name, lease.namespace))),
      judge: formsVerdict,
    }),
    row({
      name: "access",
      read: async () => {
        const refused = [];
        for (const one of needed) refused.push({ one, refused: await refusedOf(hub, one, asAccounts) });
        return { refused, caller: { asAccounts, user: await user() } };
      },
      judge: ({ refused, caller }) => refused.map(({ one, refused }) => accessVerdict(one, refused, caller)),
    }),
  ];
}

async function folderVerdict(path: string): Promise<Verdict> {
  try {
    await readdir(path);
    return ok(`The folder ${path} serves as the hub; it has no permissions, kinds or clock to check.`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return problem(`The folder ${path} cannot be read (${code}).`, "Correct HUBRELAY_HUB.");
  }
}

/** Runs rows one after the other until a read fails. In most rows, a forbidden read becomes a note instead. */
export async function inOrder(rows: readonly Row[]): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const one of rows) {
    try {
      checks.push(...(await checksOf(one)));
    } catch (error) {
      const isAvoidable = error instanceof HubError && error.code === "Forbidden";
      if (!isAvoidable || unavoidable.includes(one.name)) return [...checks, failed(one.name, error, hubFix)];
      const found = `It was not checked: ${error.message}.`;
      checks.push({ name: one.name, ...note(found, "Use credentials that allow getting it.") });
    }
  }
  return checks;
}

/** Checks the hub that the environment names. Throws `UsageError` for an unknown account. */
export async function hubChecks(
  environment: Environment,
  options: HubCheckOptions,
): Promise<readonly Check[]> {
  let hub: InspectedHub;
  try {
    const place = hubLocation(environment);
    if (place.from === "directory") return [{ name: "hub", ...(await folderVerdict(place.path)) }];
    hub = await openKubernetesHub(place, { environment, requestTimeoutMs: 15_000 });
  } catch (error) {
    return [failed("hub", error, hubFix)];
  }
  try {
    const needed = withLease(neededAccess(await hubRbacManifests(), options.accounts), options.lease);
    return await inOrder(hubRows(hub, needed, options));
  } finally {
    hub.close();
  }
}
