import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { fieldsOf, isRecord, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { clusterKind, type KubernetesObject, namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { noWorkloadImage } from "#shared/domain/precache-model/workload-image.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { maxClockDifferenceSeconds } from "#shared/domain/windows/clock.ts";
import { heartbeatOf, type LeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { note, ok, problem, type Verdict } from "./check.ts";

const clockRemedy = "Synchronize both machines with the same time server (NTP); check with chronyc tracking.";
/** A smaller clock difference is not reported: the server sends whole seconds, and the response takes time. */
const unnoticedSeconds = 5;
/** The maximum time from the end of a Lease until another forwarder holds it. The holder renews it every 26 s. */
const graceSeconds = 30;
/** The maximum age of the last heartbeat, as in the alarms. Forwarders send a heartbeat every minute. */
const silenceSeconds = 900;

const secondsBetween = (from: number, to: Date) => Math.round((to.getTime() - from) / 1000);
const apart = (seconds: number) =>
  `${Math.abs(Math.round(seconds))} s ${seconds > 0 ? "ahead of" : "behind"} the hub's`;

/** Judges the difference between this machine's clock and `serverTime`, the time in the hub's response. */
export function clockVerdict(serverTime: Date | undefined, now: Date): Verdict {
  if (!serverTime) return note("The hub does not send its time.", "Compare the clocks yourself: date -u");
  const aheadSeconds = (now.getTime() - serverTime.getTime()) / 1000;
  const found = `This machine's clock is ${apart(aheadSeconds)}`;
  if (Math.abs(aheadSeconds) > maxClockDifferenceSeconds)
    return problem(
      `${found}: a function that runs here opens no maintenance window, and tokens may not be valid yet.`,
      clockRemedy,
    );
  return Math.abs(aheadSeconds) >= unnoticedSeconds
    ? note(`${found}.`, clockRemedy)
    : ok("This machine's clock and the hub's agree.");
}

/** Returns the last renewal's time by the API server's clock, in ms since 1970; -Infinity without managedFields. */
function renewalStored({ metadata }: KubernetesObject): number {
  const renewals = objectsOf(fieldsOf(metadata).managedFields).filter(({ fieldsV1 }) =>
    isRecord(fieldsOf(fieldsOf(fieldsV1)["f:spec"])["f:renewTime"]),
  );
  return Math.max(...renewals.map(({ time }) => Date.parse(String(time))));
}

/** Judges whether a forwarder holds the leader election Lease at `now`. */
export function leaseVerdict(
  { namespace, name }: LeaseName,
  lease: KubernetesObject | undefined,
  now: Date,
): Verdict {
  const where = `${namespace}/${name}`;
  if (!lease)
    return note(
      `No forwarder has taken the Lease ${where} yet.`,
      "Start one: hubrelay forward --lease NAMESPACE/NAME. Nothing to do if forwarders run without a Lease.",
    );
  const { holderIdentity, leaseDurationSeconds, renewTime } = fieldsOf(lease.spec);
  if (holderIdentity === undefined || holderIdentity === "")
    return note(
      `No forwarder has the Lease ${where}: the last one released it when it ended.`,
      "Start a forwarder; until then, changes are noticed only at the next resync tick.",
    );
  const renewed = Date.parse(typeof renewTime === "string" ? renewTime : "");
  if (typeof leaseDurationSeconds !== "number" || Number.isNaN(renewed))
    return problem(
      `The Lease ${where} has no duration or was never renewed: no forwarder writes such a Lease.`,
      sentence`Find what else uses it (${holderIdentity}), or delete it: the next forwarder creates it again.`,
    );
  const aheadSeconds = secondsBetween(renewalStored(lease), new Date(renewed));
  if (Math.abs(aheadSeconds) > maxClockDifferenceSeconds && Number.isFinite(aheadSeconds))
    return problem(
      sentence`The clock of ${holderIdentity}, which has the Lease ${where}, is ${apart(aheadSeconds)}: no maintenance window opens.`,
      clockRemedy,
    );
  const ageSeconds = secondsBetween(renewed, now);
  if (ageSeconds > leaseDurationSeconds + graceSeconds)
    return problem(
      sentence`${holderIdentity} has the Lease ${where} and has not renewed it for ${ageSeconds} s: no forwarder works.`,
      "Check the forwarders' logs and permissions: hubrelay doctor --as-accounts --account forwarder.",
    );
  const silentSeconds = secondsBetween((heartbeatOf(lease) ?? now).getTime(), now);
  return silentSeconds > silenceSeconds
    ? problem(
        sentence`${holderIdentity} has the Lease ${where}, and has had no heartbeat for ${silentSeconds} s: it cannot list or watch something, or a queue does not respond or refuses messages.`,
        "Check the forwarder's retry log entries: docs/runbook.md, ForwarderSilentAlarm.",
      )
    : ok(sentence`${holderIdentity} has the Lease ${where}.`);
}

/** The Deployments of the two forms in which hubrelay is deployed. They share a Lease, so only one of them can work. */
export const forms = ["hubrelay-run", "hubrelay-forwarder"];
export const deploymentKind = namespacedKind("apps/v1", "Deployment");

/** Returns a problem if the Deployments of both forms run, otherwise an empty list. */
export function formsVerdict(found: readonly (KubernetesObject | undefined)[]): Verdict | readonly Verdict[] {
  const running = found.flatMap((one) =>
    one && fieldsOf(one.spec).replicas !== 0 ? [one.metadata.name] : [],
  );
  if (running.length < forms.length) return [];
  return problem(
    sentence`The Deployments ${running.join(" and ")} share a Lease: only one of them works.`,
    "Delete what runs of the other form of deployment: docs/deploy-kubernetes.md, From another form.",
  );
}

/** The binding of the admission policy that restricts pre-caching. */
export const guardBinding = {
  kind: clusterKind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
  name: "hubrelay-precache-image",
};

/** The ConfigMap that an admission policy reads. */
export type GuardParameter = Readonly<{ name: string; namespace: string }>;

/** Returns the ConfigMap that the binding of an admission policy names; undefined if it names none. */
export function guardParameter(binding: KubernetesObject | undefined): GuardParameter | undefined {
  const { name, namespace } = fieldsOf(fieldsOf(binding?.spec).paramRef);
  return typeof name === "string" && typeof namespace === "string" ? { name, namespace } : undefined;
}

/** Judges whether the admission policy finds its ConfigMap, and whether functions can start with its settings. */
export function guardVerdict(
  parameter: GuardParameter | undefined,
  configMap: KubernetesObject | undefined,
): Verdict {
  if (!parameter)
    return note(
      `The hub has no admission policy ${guardBinding.name}: whoever has a function's token is root on every cluster.`,
      `Nothing to do where hubrelay does not pre-cache. Else run ${applyCommand("infra/hub-rbac")}.`,
    );
  const where = `ConfigMap ${parameter.namespace}/${parameter.name}`;
  if (!configMap)
    return problem(
      `The admission policy ${guardBinding.name} reads the ${where}, which does not exist: no ManifestWork of pre-caching is accepted.`,
      `Apply your overlay again, or create it with the values of the functions: kubectl -n ${parameter.namespace} create configmap ${parameter.name} --from-literal=HUBRELAY_PRECACHE_PROFILE=… --from-literal=HUBRELAY_WORKLOAD_IMAGE=… --from-literal=HUBRELAY_INDEX_REPOSITORIES=…`,
    );
  const data = Object.entries(fieldsOf(configMap.data));
  const settings = Object.fromEntries(
    data.filter((one): one is [string, string] => typeof one[1] === "string"),
  );
  try {
    const { profile, workloadImage, isOff } = startingSettings(settings);
    if (isOff) throw new EnvironmentError(noWorkloadImage);
    if (profile === "standard") return ok(`The ${where} has the profile standard: works may run any image.`);
    return ok(`The ${where} has the profile hardened: works run ${workloadImage}.`);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const [found = "", fix = ""] = error.message.split(/ Fix: /);
    const remedy = `In the functions' settings as well: ${fix || "correct it."}`;
    // A missing workload image is only a note: the hub may not be meant to pre-cache.
    return settings.HUBRELAY_WORKLOAD_IMAGE
      ? problem(`${where}: ${found}`, remedy)
      : note(`${where}: ${found}`, `${remedy} Nothing to do where hubrelay is not to pre-cache.`);
  }
}
