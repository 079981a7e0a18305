import { displayName } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ExpectedObject, expectedObjects, isOn, traceKinds } from "./expected-objects.ts";
import {
  type ExpectedSetting,
  expectedSettings,
  isAsExpected,
  readConfigFile,
  settingAt,
} from "./expected-settings.ts";
import {
  guardedConfigPolicy,
  guardsIngresses,
  lacksRouter,
  othersInBundle,
  rootBundle,
  routerAuthority,
} from "./ingress-rule.ts";
import { registryTraces } from "./registry-traces.ts";
import { type CapabilityTraces, findObject, type Trace } from "./trace.ts";

function guardTraces({ disabled, guest }: CapabilityTraces): readonly Trace[] {
  const policy =
    guest && findObject(guest, traceKinds.ValidatingAdmissionPolicy, guardedConfigPolicy, undefined);
  const isGuarded = policy && guardsIngresses(policy);
  const isEnabled = !disabled.includes("Ingress");
  if (isGuarded === undefined || isGuarded === isEnabled) return [];
  const what = `ValidatingAdmissionPolicy/${guardedConfigPolicy} ingresses`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? "the guest's admission policy config does not guard ingresses, though Ingress is enabled"
        : "the guest's admission policy config guards ingresses, though Ingress is disabled",
      remedy: "The hosted-cluster-config operator writes it; check its log.",
    },
  ];
}

function bundleTraces({ disabled, controlPlane, controlPlaneNamespace }: CapabilityTraces): readonly Trace[] {
  const configMap = (name: string) =>
    findObject(controlPlane, traceKinds.ConfigMap, name, controlPlaneNamespace);
  const bundle = configMap(rootBundle);
  const others = othersInBundle(bundle);
  const isEnabled = !disabled.includes("Ingress");
  if (isEnabled ? !lacksRouter(bundle, configMap(routerAuthority)) : others === 0) return [];
  const what = sentence`ConfigMap/${controlPlaneNamespace}/${rootBundle} ca.crt`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? sentence`${what} lacks the authority of the default router, which ConfigMap/${controlPlaneNamespace}/${routerAuthority} has`
        : sentence`${what} trusts more than the control plane's own authority (${others} more), though Ingress is disabled`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  ];
}

/** Returns what is left or missing of Ingress inside objects that exist with and without it. */
function ingressTraces(traces: CapabilityTraces): readonly Trace[] {
  return [...guardTraces(traces), ...bundleTraces(traces)];
}

const locationText = { controlPlane: "in the control plane", guest: "in the guest" } as const;

function leftover(expected: ExpectedObject, what: string, platform: string): Trace {
  const { capability, where, alwaysWrittenOn, isUserData } = expected;
  if (isUserData)
    return {
      kind: "userData",
      capability,
      what,
      message: sentence`${what} is still ${locationText[where]} though ${capability} is disabled: it may contain data of the cluster's users`,
      remedy: "Check its contents; only its owner should remove it.",
    };
  const isAlwaysWritten = alwaysWrittenOn?.includes(platform) ?? false;
  return {
    kind: "leftover",
    capability,
    what,
    message: sentence`${what} is ${locationText[where]} though ${capability} is disabled`,
    remedy: isAlwaysWritten
      ? sentence`HyperShift writes it on ${platform} regardless of the capability; if you remove it, HyperShift writes it again.`
      : "Find out what created it, and remove it if it is unused.",
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
    (location) => location.where === where && location.kind.kind === kind.kind && location.name === name,
  );
  if (found || !isRequired || isUnread) return [];
  return [
    {
      kind: "missing",
      capability,
      what,
      message: sentence`${what} is not ${locationText[where]} though ${capability} is enabled`,
      remedy: "Check the operator that creates it; a new cluster may not have it yet.",
    },
  ];
}

function traceOfSetting(setting: ExpectedSetting, traces: CapabilityTraces): readonly Trace[] {
  const { capability, configMap, file, path, isSharedWhenEnabled } = setting;
  const isEnabled = !traces.disabled.includes(capability);
  if (isEnabled && isSharedWhenEnabled) return [];
  const object = findObject(
    traces.controlPlane,
    traceKinds.ConfigMap,
    configMap,
    traces.controlPlaneNamespace,
  );
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
      message: sentence`${what} is ${found} and should be ${wanted}, since ${capability} is ${isEnabled ? "enabled" : "disabled"}`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  ];
}

/**
 * Returns what is left of disabled capabilities, and what is missing of enabled ones. Without the guest only the
 * control plane is checked. A registry that is removed by its own configuration has a trace of its own kind.
 */
export function findTraces(traces: CapabilityTraces): readonly Trace[] {
  const found = [
    ...expectedObjects.flatMap((expected) => traceOfObject(expected, traces)),
    ...expectedSettings.flatMap((setting) => traceOfSetting(setting, traces)),
    ...ingressTraces(traces),
    ...registryTraces(traces),
  ];
  return found.filter(({ capability }) => !traces.undecided?.includes(capability));
}
