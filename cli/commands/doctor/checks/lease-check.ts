import { sentence } from "#shared/domain/credentials/redact.ts";
import { fieldsOf, isRecord, objectsOf } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { maxClockDifferenceSeconds } from "#shared/domain/windows/clock.ts";
import { heartbeatOf, type LeaseName } from "#shared/runtime/forwarder/lease.ts";
import { type Check, note, ok, problem } from "./check.ts";

const title = "lease";
/** For a clock that disagrees with the hub's. */
export const clockRemedy =
  "Synchronize both machines with the same time server (NTP); check with chronyc tracking.";
/** Time after the lease duration in which another forwarder should have taken over; forwarders renew every 26 s. */
const graceSeconds = 30;
/** A forwarder has a heartbeat each minute; the alarms wait as long. */
const silenceSeconds = 900;

/** Returns when the API server stored a Lease's renewal, by its own clock; not a finite number where it does not say. */
function renewalStored({ metadata }: KubernetesObject): number {
  const writers = objectsOf(fieldsOf(metadata).managedFields);
  const renewals = writers.filter(({ fieldsV1 }) =>
    isRecord(fieldsOf(fieldsOf(fieldsV1)["f:spec"])["f:renewTime"]),
  );
  return Math.max(...renewals.map(({ time }) => Date.parse(String(time))));
}

/** Checks whether a forwarder holds the leader election Lease at `now`. */
export function leaseCheck(
  { namespace, name }: LeaseName,
  lease: KubernetesObject | undefined,
  now: Date,
): Check {
  const where = `${namespace}/${name}`;
  if (!lease)
    return note(
      title,
      `No forwarder has taken the Lease ${where} yet.`,
      "Start one: hubrelay forward --lease NAMESPACE/NAME. Nothing to do if forwarders run without a Lease.",
    );
  const { holderIdentity, leaseDurationSeconds, renewTime } = fieldsOf(lease.spec);
  if (holderIdentity === undefined || holderIdentity === "")
    return note(
      title,
      `No forwarder has the Lease ${where}: the last one released it when it ended.`,
      "Start a forwarder; until then, changes are noticed only at the next resync tick.",
    );
  const renewed = Date.parse(typeof renewTime === "string" ? renewTime : "");
  if (typeof leaseDurationSeconds !== "number" || Number.isNaN(renewed))
    return problem(
      title,
      `The Lease ${where} has no duration or was never renewed: no forwarder writes such a Lease.`,
      sentence`Find what else uses it (${holderIdentity}), or delete it: the next forwarder creates it again.`,
    );
  const aheadSeconds = Math.round((renewed - renewalStored(lease)) / 1000);
  if (Math.abs(aheadSeconds) > maxClockDifferenceSeconds && Number.isFinite(aheadSeconds))
    return problem(
      title,
      sentence`The clock of ${holderIdentity}, which has the Lease ${where}, is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? "ahead of" : "behind"} the hub's: no maintenance window opens.`,
      clockRemedy,
    );
  const ageSeconds = Math.round((now.getTime() - renewed) / 1000);
  if (ageSeconds > leaseDurationSeconds + graceSeconds)
    return problem(
      title,
      sentence`${holderIdentity} has the Lease ${where} and has not renewed it for ${ageSeconds} s: no forwarder works.`,
      "Check the forwarders' logs and permissions: hubrelay doctor --as-accounts --account forwarder.",
    );
  const heartbeat = heartbeatOf(lease);
  const silentSeconds = heartbeat ? Math.round((now.getTime() - heartbeat.getTime()) / 1000) : 0;
  if (silentSeconds > silenceSeconds)
    return problem(
      title,
      sentence`${holderIdentity} has the Lease ${where}, and has had no heartbeat for ${silentSeconds} s: it cannot list or watch something, or a queue does not respond or refuses messages.`,
      "Check the forwarder's retry log entries: docs/runbook.md, ForwarderSilentAlarm.",
    );
  return ok(title, sentence`${holderIdentity} has the Lease ${where}.`);
}
