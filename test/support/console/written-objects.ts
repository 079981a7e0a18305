import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { correlatedAction, withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import { planObjectEvents } from "#shared/domain/plan/object-events.ts";
import { outcomeEvent } from "#shared/domain/plan/outcome-event.ts";

/** The MachineConfig of a pool as mirror-config has written it after the change. */
export function aWrittenConfig(
  pool: string,
  correlationId: string | undefined,
  at: string,
): KubernetesObject {
  const { apiVersion, kind } = kinds.MachineConfig;
  const name = `99-${pool}-generated-registries`;
  const outcome = outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject: name,
    from: at,
    at,
    data: { pool },
  });
  const action = { verb: "create", object: { apiVersion, kind, metadata: { name } }, reason: "" } as const;
  return correlatedAction(withOutcome(action, outcome), correlationId).object;
}

/** A Kubernetes Event about an object, as mirror-config has written it. */
export function aReport(
  regarding: KubernetesObject,
  reason: string,
  correlationId: string,
  at: string,
): KubernetesObject {
  const [action] = planObjectEvents({
    objectEvents: [
      { regarding, type: "Warning", reason, message: "The rule for quay.io/acme/base has no effect." },
    ],
    existing: [],
    component: "hubrelay-mirror-config",
    labels: { "hubrelay.dev/function": "mirror-config" },
    now: new Date(at),
  });
  if (!action) throw new Error("no Event is planned");
  return correlatedAction(action, correlationId).object;
}
