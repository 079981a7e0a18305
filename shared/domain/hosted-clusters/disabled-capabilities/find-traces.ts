import { fieldsOf, objectsOf, someOf } from "../../kubernetes/json/values.ts";
import { displayName, isKind, type KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ExpectedObject, expectedObjects, isOn, traceKinds } from "./expected-objects.ts";
import {
  type ExpectedSetting,
  expectedSettings,
  isAsExpected,
  pullSecretsOff,
  readConfigFile,
  settingAt,
} from "./settings.ts";
import { findObject, type RegistryTraces, type Trace } from "./trace.ts";

const locationText = { controlPlane: "in the control plane", guest: "in the guest" } as const;

function traceOfObject(expected: ExpectedObject, traces: RegistryTraces): readonly Trace[] {
  const { where, kind, name, isUserData } = expected;
  const objects = traces[where];
  if (!objects || !isOn(traces.platform, expected)) return [];
  const namespace = where === "controlPlane" ? traces.controlPlaneNamespace : expected.namespace;
  if (!findObject(objects, kind, name, namespace)) return [];
  const what = displayName({ kind: kind.kind, name, ...(namespace ? { namespace } : {}) });
  return [
    isUserData
      ? {
          kind: "userData",
          what,
          message: sentence`${what} is still ${locationText[where]} though ImageRegistry is disabled: it may contain data of the cluster's users`,
          remedy: "Check its contents; only its owner should remove it.",
        }
      : {
          kind: "leftover",
          what,
          message: sentence`${what} is ${locationText[where]} though ImageRegistry is disabled`,
          remedy: "Find out what created it, and remove it if it is unused.",
        },
  ];
}

function traceOfSetting(setting: ExpectedSetting, traces: RegistryTraces): readonly Trace[] {
  const { configMap, file, path, disabled } = setting;
  const { controlPlane, controlPlaneNamespace } = traces;
  const object = findObject(controlPlane, traceKinds.ConfigMap, configMap, controlPlaneNamespace);
  const content = readConfigFile(object, file);
  if (content === undefined || isAsExpected(content, setting, false)) return [];
  const what = `ConfigMap/${controlPlaneNamespace}/${configMap} ${file}: ${path.join(".")}`;
  const found = JSON.stringify(settingAt(content, path) ?? "");
  return [
    {
      kind: "leftover",
      what,
      message: sentence`${what} is ${found} and should be ${JSON.stringify(disabled ?? "")}, since ImageRegistry is disabled`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  ];
}

/** Returns what remains of a disabled registry. If the guest was not read, only the control plane is checked. */
export function findTraces(traces: RegistryTraces): readonly Trace[] {
  if (!traces.isDisabled) return [];
  return [
    ...expectedObjects.flatMap((expected) => traceOfObject(expected, traces)),
    ...expectedSettings.flatMap((setting) => traceOfSetting(setting, traces)),
    ...pullSecretTraces(traces),
    ...storageTraces(traces),
  ];
}

/** Reports whether the guest's registry has `managementState: Removed`; undefined if that was not read or is absent. */
export function isRegistryRemoved({ guest }: Pick<RegistryTraces, "guest">): boolean | undefined {
  const config = guest && findObject(guest, traceKinds.RegistryConfig, "cluster", undefined);
  return config && fieldsOf(config.spec).managementState === "Removed";
}

const pullSecret = /-dockercfg-[a-z0-9]{5}$/;

function pullSecretsOf({ imagePullSecrets }: KubernetesObject): readonly unknown[] {
  return objectsOf(imagePullSecrets).filter(({ name }) => pullSecret.test(String(name)));
}

function pullSecretTraces({ guest = [] }: RegistryTraces): readonly Trace[] {
  const accounts = guest
    .filter((object) => isKind(traceKinds.ServiceAccount, object) && pullSecretsOf(object).length > 0)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .sort();
  if (accounts.length === 0) return [];
  return [
    {
      kind: "leftover",
      what: "ServiceAccount imagePullSecrets",
      message: sentence`service accounts have pull secrets of a registry that is disabled: ${someOf(accounts)}`,
      remedy: `Check whether the openshift-controller-manager runs with ${pullSecretsOff}.`,
    },
  ];
}

function storageTraces({ guest }: RegistryTraces): readonly Trace[] {
  const config = guest && findObject(guest, traceKinds.RegistryConfig, "cluster", undefined);
  const { storage } = fieldsOf(config?.status);
  const names = Object.keys(fieldsOf(storage)).filter((name) => name !== "managementState");
  if (names.length === 0) return [];
  return [
    {
      kind: "userData",
      what: "Config/cluster status.storage",
      message: sentence`the registry's configuration still names storage (${names.sort().join(", ")}), which may contain images`,
      remedy: "Check its contents; only its owner should remove it.",
    },
  ];
}
