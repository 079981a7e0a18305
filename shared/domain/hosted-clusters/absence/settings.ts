import { parse } from "yaml";
import { isSameJson } from "../../json/same-json.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ExpectedSetting } from "./expected-settings.ts";

/** A file of a ConfigMap as a value; undefined when it is not there or cannot be read. */
export function readConfigFile(configMap: KubernetesObject | undefined, file: string): unknown {
  const text = isRecord(configMap?.data) ? configMap.data[file] : undefined;
  if (typeof text !== "string") return undefined;
  try {
    return parse(text);
  } catch {
    return undefined; // no YAML, so nothing that could be judged
  }
}

/** The value at a path of fields; undefined when a field of it is missing. */
export function settingAt(file: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (isRecord(value) ? value[field] : undefined), file);
}

const isNothing = (value: unknown) => value === undefined || value === null || value === "";

/** True when the file has what it should have, with the capability or without it. */
export function isAsExpected(file: unknown, setting: ExpectedSetting, isEnabled: boolean): boolean {
  const found = settingAt(file, setting.path);
  const wanted = isEnabled ? setting.enabled : setting.disabled;
  return isNothing(wanted) ? isNothing(found) : isSameJson(found, wanted);
}
