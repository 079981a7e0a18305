import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { LeaseName } from "#shared/runtime/lease.ts";
import { type Check, note, ok, problem } from "./check.ts";

const title = "lease";
/** A forwarder renews every two seconds, and another takes over after the duration: this much later nobody did. */
const graceSeconds = 30;

/**
 * The Lease that forwarders take turns with, as the hub has it: whether one of them works now, by the clock that
 * `now` is of.
 */
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
      "Start one: hubrelay forward --lease NAMESPACE/NAME. Where forwarders work without a Lease there is nothing to do.",
    );
  const { holderIdentity, leaseDurationSeconds, renewTime } = Object(lease.spec);
  if (holderIdentity === undefined || holderIdentity === "")
    return note(
      title,
      `No forwarder holds the Lease ${where}: the last one gave it back when it ended.`,
      "Start a forwarder; until then the resync tick alone tells of changes.",
    );
  const renewed = Date.parse(typeof renewTime === "string" ? renewTime : "");
  if (typeof leaseDurationSeconds !== "number" || Number.isNaN(renewed))
    return problem(
      title,
      `The Lease ${where} has no duration or was never renewed: no forwarder has written that.`,
      `See who else uses it (${String(holderIdentity)}), or remove it: the next forwarder writes it anew.`,
    );
  const ageSeconds = Math.round((now.getTime() - renewed) / 1000);
  if (ageSeconds > leaseDurationSeconds + graceSeconds)
    return problem(
      title,
      `${String(holderIdentity)} has the Lease ${where} and has not renewed it for ${ageSeconds} s: no forwarder works.`,
      "Look at the forwarders' logs, and at their permissions: hubrelay doctor --as-accounts --account forwarder.",
    );
  return ok(title, `${String(holderIdentity)} holds the Lease ${where}.`);
}
