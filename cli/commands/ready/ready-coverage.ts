import {
  type Assumption,
  type Coverage,
  type Enforced,
  inputCoverage,
  type Unread,
} from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { isMachineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { mirrorInputKinds } from "../mirrors/mirror-input.ts";
import { loginKinds, type NodeOptions, nodeKinds } from "./node-rules.ts";

type ReadyInput = NodeOptions &
  Readonly<{
    objects: readonly KubernetesObject[];
    /** Undefined for a hub. */
    files: number | undefined;
    unread: readonly Unread[];
    enforced?: readonly Enforced[];
    issues: readonly Issue[];
    arch?: readonly string[];
    cgu?: readonly string[];
    depth: "manifests" | "blobs";
  }>;

function nodeAssumptions(input: ReadyInput): readonly Assumption[] {
  const { objects, files, pool, hosted } = input;
  const isWhole = files === undefined;
  const isGenerated = (object: KubernetesObject) =>
    isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name);
  if (hosted !== undefined || (pool !== undefined && objects.some(isGenerated))) return [];
  return clusterAssumptions(mirrorInputOf(objects), { isWhole, pools: sentence`pool ${pool ?? "worker"}` });
}

/** Returns what a readiness report has read, has not read, and has assumed. */
export function readyCoverage(input: ReadyInput): Coverage {
  const { arch, cgu = [], hosted, depth, unread } = input;
  const isArchitectureKnown = arch !== undefined || cgu.length > 0 || hosted !== undefined;
  const layers = { what: "layers of images", why: "not-checked", count: 1 } as const;
  return inputCoverage(
    {
      ...input,
      unread: depth === "manifests" ? [...unread, layers] : unread,
      assumed: [
        ...nodeAssumptions(input),
        ...(isArchitectureKnown ? [] : [{ what: "architecture", text: "architecture amd64" } as const]),
      ],
    },
    [...mirrorInputKinds, ...nodeKinds, ...loginKinds],
  );
}
