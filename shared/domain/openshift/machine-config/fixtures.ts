import type { KubernetesObject } from "../../kubernetes/object.ts";
import { roleLabel } from "./machine-config.ts";

/** Returns a MachineConfig of a role that writes these files; their contents are text, or Ignition's `contents`. */
export function aMachineConfig(
  name: string,
  files: Readonly<Record<string, string | Readonly<{ source?: string; compression?: string }>>>,
  role = "worker",
): KubernetesObject {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { [roleLabel]: role } },
    spec: {
      config: {
        ignition: { version: "3.4.0" },
        storage: {
          files: Object.entries(files).map(([path, contents]) => ({
            path,
            mode: 0o644,
            contents:
              typeof contents === "string" ? { source: `data:,${encodeURIComponent(contents)}` } : contents,
          })),
        },
      },
    },
  };
}

/** The path of a drop-in of registries.conf, for tests. */
export const dropInPath = "/etc/containers/registries.conf.d/99-tags.conf";
