import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  expectedSettings,
  isAsExpected,
  pullSecretsOff,
  readConfigFile,
  type SettingsChoice,
  settingsConfigMaps,
  withSettings,
} from "./settings.ts";

const host = "image-registry.openshift-image-registry.svc:5000";
const aConfigMap = (name: string, data: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "clusters-shop", resourceVersion: "7" },
  data,
});
const managerConfig = (controllers: unknown, hostname: unknown = host) =>
  aConfigMap("openshift-controller-manager-config", {
    "config.yaml": JSON.stringify({
      kind: "OpenShiftControllerManagerConfig",
      controllers,
      dockerPullSecret: { internalRegistryHostname: hostname, registryURLs: null },
    }),
    other: "untouched",
  });
const withRegistry: SettingsChoice = { isDisabled: false, platform: "AWS", isRegistryRemoved: false };
const withoutRegistry: SettingsChoice = { ...withRegistry, isDisabled: true };
const fileOf = ({ data }: KubernetesObject, file = "config.yaml"): string => Object(data)[file];

describe("the settings of a control plane", () => {
  test.for(settingsConfigMaps)(
    "When the registry is disabled in %s, it should get the settings without it, once",
    (name) => {
      const settings = expectedSettings.filter(({ configMap }) => configMap === name);
      const file = settings[0]?.file ?? "";
      const present = aConfigMap(name, {
        [file]: JSON.stringify({
          dockerPullSecret: { internalRegistryHostname: host },
          imagePolicyConfig: { internalRegistryHostname: host },
        }),
      });
      const changed = withSettings(present, withoutRegistry);
      for (const setting of settings)
        expect(isAsExpected(readConfigFile(changed, file), setting, false)).toBe(true);
      expect(withSettings(changed, withoutRegistry)).toBe(changed);
      const back = withSettings(changed, withRegistry);
      for (const setting of settings.filter(({ isSharedWhenEnabled }) => !isSharedWhenEnabled))
        expect(isAsExpected(readConfigFile(back, file), setting, true)).toBe(true);
      expect(withSettings(back, withRegistry)).toBe(back);
    },
  );

  test("When a setting changes, it should leave everything else of the ConfigMap as it is", () => {
    const changed = withSettings(managerConfig(null), withoutRegistry);
    expect(changed).toEqual({
      ...managerConfig(null),
      data: { "config.yaml": fileOf(changed), other: "untouched" },
    });
    expect(parse(fileOf(changed))).toEqual({
      kind: "OpenShiftControllerManagerConfig",
      controllers: ["*", pullSecretsOff],
      dockerPullSecret: { registryURLs: null },
    });
  });

  test("When a file is YAML, it should stay YAML with the same meaning for every reader", () => {
    const text =
      'audit: "on"\nimagePolicyConfig:\n  internalRegistryHostname: x\nport: "0123"\ntimeout: 0s\n';
    const changed = withSettings(aConfigMap("openshift-apiserver", { "config.yaml": text }), withoutRegistry);
    expect(fileOf(changed)).toBe('audit: "on"\nimagePolicyConfig: {}\nport: "0123"\ntimeout: 0s\n');
  });

  test.for<readonly [name: string, choice: Partial<SettingsChoice>, before: unknown, after: unknown]>([
    ["its own configuration removes the registry", { isRegistryRemoved: true }, null, ["*", pullSecretsOff]],
    [
      "it does so beside other controllers",
      { isRegistryRemoved: true },
      ["*", "-x"],
      ["*", "-x", pullSecretsOff],
    ],
    [
      "it does so on Azure, where HyperShift ignores it",
      { isRegistryRemoved: true, platform: "Azure" },
      null,
      null,
    ],
    [
      "it has the registry back beside other controllers",
      { isRegistryRemoved: false },
      ["*", pullSecretsOff, "-x"],
      ["*", "-x"],
    ],
    ["it has the registry back", { isRegistryRemoved: false }, ["*", pullSecretsOff], ["*"]],
    [
      "the guest's configuration is unknown",
      { isRegistryRemoved: undefined },
      ["*", pullSecretsOff],
      ["*", pullSecretsOff],
    ],
    [
      "the capability is off, regardless of the configuration",
      { isDisabled: true, isRegistryRemoved: false },
      ["*", "-x"],
      ["*", pullSecretsOff],
    ],
  ])("When $0, the controllers should follow", ([, choice, before, after]) => {
    const changed = withSettings(managerConfig(before), { ...withRegistry, ...choice });
    expect(parse(fileOf(changed)).controllers).toEqual(after);
  });

  test.for<readonly [string, KubernetesObject]>([
    ["no YAML", aConfigMap("kas-config", { "config.json": "{" })],
    ["a list", aConfigMap("kas-config", { "config.json": "[]" })],
    ["another file", aConfigMap("kas-config", { "config.yaml": "{}" })],
    ["no configuration", aConfigMap("kas-config", {})],
    ["another ConfigMap", aConfigMap("other", { "config.yaml": "{}" })],
  ])("When there is %s, it should not change", ([, configMap]) => {
    expect(withSettings(configMap, withRegistry)).toBe(configMap);
  });

  test("When a file does not mention the registry, it should get its host name only with the registry", () => {
    const empty = aConfigMap("kas-config", { "config.json": "{}" });
    expect(withSettings(empty, withoutRegistry)).toBe(empty);
    const json = JSON.stringify({ imagePolicyConfig: { internalRegistryHostname: host } });
    for (const text of ["{}", "\n {}\n"])
      expect(
        fileOf(withSettings(aConfigMap("kas-config", { "config.json": text }), withRegistry), "config.json"),
      ).toBe(json);
  });
});
