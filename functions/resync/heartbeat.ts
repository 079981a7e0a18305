import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { heartbeatOf, type LeaseName } from "#shared/runtime/forwarder/lease.ts";

/**
 * Logs for how long the forwarder that holds this Lease has had no heartbeat. Nothing where it has never had one: the alarm
 * is for absent data. An error is logged too, and the tick goes on: its references are what makes up for the forwarder.
 */
export async function reportHeartbeat({
  hub,
  lease,
  log,
  now,
}: Readonly<{ hub: HubReader; lease: LeaseName; log: Log; now(): Date }>): Promise<void> {
  const name = `${lease.namespace}/${lease.name}`;
  try {
    const held = await hub.get(kinds.Lease, lease.name, lease.namespace);
    const heartbeat = held && heartbeatOf(held);
    if (!heartbeat) return;
    const silentSeconds = Math.max(0, Math.floor((now().getTime() - heartbeat.getTime()) / 1000));
    log({ event: "heartbeat-read", lease: name, silentSeconds });
  } catch (error) {
    log({ event: "retry", key: name, error: describeError(error), delaySeconds: 0, attempt: 1 });
  }
}
