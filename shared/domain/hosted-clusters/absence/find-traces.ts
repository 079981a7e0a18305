import { displayName } from "../../kubernetes/object.ts";
import { type ExpectedObject, expectedObjects, isOn, lookedAt } from "./expected-objects.ts";
import { type ExpectedSetting, expectedSettings } from "./expected-settings.ts";
import { ingressTraces } from "./ingress-traces.ts";
import { registryTraces } from "./registry-traces.ts";
import { isAsExpected, readConfigFile, settingAt } from "./settings.ts";
import { type CapabilityTraces, findObject, type Trace } from "./trace.ts";

const places = { controlPlane: "in the control plane", guest: "in the guest" } as const;

function leftover(expected: ExpectedObject, what: string, platform: string): Trace {
  const { capability, where, forgottenOn, isUserData } = expected;
  if (isUserData)
    return {
      kind: "userData",
      capability,
      what,
      message: `${what} is still ${places[where]} though ${capability} is disabled: it may hold data of the cluster's users`,
      remedy: "Look what is in it; nobody but its owner removes it.",
    };
  const isForgotten = forgottenOn?.includes(platform) ?? false;
  return {
    kind: "leftover",
    capability,
    what,
    message: `${what} is ${places[where]} though ${capability} is disabled`,
    remedy: isForgotten
      ? `HyperShift writes it on ${platform} whatever the capability says; removing it does not last.`
      : "Find out who made it, and remove it when nobody uses it.",
  };
}

function traceOfObject(expected: ExpectedObject, traces: CapabilityTraces): readonly Trace[] {
  const { capability, where, kind, name, isRequired } = expected;
  const objects = traces[where];
  if (!objects || !isOn(traces.platform, expected)) return [];
  const namespace = where === "controlPlane" ? traces.controlPlaneNamespace : expected.namespace;
  const found = findObject(objects, kind, name, namespace);
  const what = displayName({ kind: kind.kind, name, ...(namespace ? { namespace } : {}) });
  const isDisabled = traces.disabled.includes(capability);
  if (isDisabled) return found ? [leftover(expected, what, traces.platform)] : [];
  const isUnread = traces.unread?.some(
    (place) => place.where === where && place.kind.kind === kind.kind && place.name === name,
  );
  if (found || !isRequired || isUnread) return [];
  return [
    {
      kind: "missing",
      capability,
      what,
      message: `${what} is not ${places[where]} though ${capability} is enabled`,
      remedy: "Look at the operator that makes it; a young cluster may not have it yet.",
    },
  ];
}

function traceOfSetting(setting: ExpectedSetting, traces: CapabilityTraces): readonly Trace[] {
  const { capability, configMap, file, path, isOthersToo } = setting;
  const isEnabled = !traces.disabled.includes(capability);
  if (isEnabled && isOthersToo) return [];
  const object = findObject(traces.controlPlane, lookedAt.ConfigMap, configMap, traces.controlPlaneNamespace);
  const content = readConfigFile(object, file);
  if (content === undefined || isAsExpected(content, setting, isEnabled)) return [];
  const what = `ConfigMap/${traces.controlPlaneNamespace}/${configMap} ${file}: ${path.join(".")}`;
  const found = JSON.stringify(settingAt(content, path) ?? "");
  const wanted = JSON.stringify((isEnabled ? setting.enabled : setting.disabled) ?? "");
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability,
      what,
      message: `${what} is ${found} and should be ${wanted}, since ${capability} is ${isEnabled ? "enabled" : "disabled"}`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  ];
}

/**
 * What is there of disabled capabilities, and what is missing of enabled ones. Without the guest only the control
 * plane is judged. The registry that its own configuration removes is told as such.
 */
export function findTraces(traces: CapabilityTraces): readonly Trace[] {
  return [
    ...expectedObjects.flatMap((expected) => traceOfObject(expected, traces)),
    ...expectedSettings.flatMap((setting) => traceOfSetting(setting, traces)),
    ...ingressTraces(traces),
    ...registryTraces(traces),
  ];
}
