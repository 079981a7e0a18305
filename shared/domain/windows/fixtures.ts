import type { KubernetesObject } from "../kubernetes/object.ts";
import { type MaintenanceWindow, readMaintenanceWindow } from "./maintenance-window.ts";

/** Returns a MaintenanceWindow object: every night from 02:00 to 04:30 in Berlin, with `spec` fields changed. */
export function windowObject(spec: Readonly<Record<string, unknown>> = {}): KubernetesObject {
  return {
    apiVersion: "hubrelay.dev/v1alpha1",
    kind: "MaintenanceWindow",
    metadata: { namespace: "fleet", name: "night" },
    spec: { schedule: "0 2 * * *", timeZone: "Europe/Berlin", duration: "2h30m", ...spec },
  };
}

/** Returns the parsed window of `windowObject`. */
export function aWindow(spec: Readonly<Record<string, unknown>> = {}): MaintenanceWindow {
  const { window, issues } = readMaintenanceWindow(windowObject(spec));
  if (!window) throw new Error(JSON.stringify(issues));
  return window;
}
