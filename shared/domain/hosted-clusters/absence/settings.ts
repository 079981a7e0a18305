import { parse } from "yaml";
import { isSameJson } from "../../json/same-json.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ExpectedSetting } from "./expected-settings.ts";

/** Returns a file of a ConfigMap as a value; undefined if it is missing or unreadable. */
export function readConfigFile(configMap: KubernetesObject | undefined, file: string): unknown {
  const text = isRecord(configMap?.data) ? configMap.data[file] : undefined;
  if (typeof text !== "string") return undefined;
  try {
    return parse(text);
  } catch {
    return undefined; // invalid YAML cannot be checked
  }
}

/** Returns the value at a path of fields; undefined if one of them is missing. */
export function settingAt(file: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (isRecord(value) ? value[field] : undefined), file);
}

const isNothing = (value: unknown) => value === undefined || value === null || value === "";

/** Returns true if the file has the expected value, with the capability or without it. */
export function isAsExpected(file: unknown, setting: ExpectedSetting, isEnabled: boolean): boolean {
  const found = settingAt(file, setting.path);
  const wanted = isEnabled ? setting.enabled : setting.disabled;
  return isNothing(wanted) ? isNothing(found) : isSameJson(found, wanted);
}
