import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { kinds } from "../../kubernetes/object.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import type { UnreadFile } from "../../machine-config/pool-files.ts";
import { tryFindPolicy } from "../pull/policy-verdict.ts";
import type { RefusedFile } from "../registries-conf/load-registries.ts";

/** Returns the warning about a file that only its MachineConfig's source has. */
export function unreadFileIssue({ machineConfig, path, problem }: UnreadFile): Issue {
  return fieldIssue({ kind: kinds.MachineConfig.kind, name: machineConfig }, path, undefined, {
    code: "UnreadNodeFile",
    severity: "warning",
    message: sentence`hubrelay cannot read this file, so that the result is for nodes without it: ${problem}`,
    remedy: "Write the content of the file into the MachineConfig, as a data: URL.",
  });
}

/** Returns the error about a file that the container runtime refuses: in the MachineConfig that writes it, if any. */
export function refusedFileIssue({ file: { path, writtenBy }, problem }: RefusedFile): Issue {
  const object =
    writtenBy === undefined
      ? { kind: "File", name: path }
      : { kind: kinds.MachineConfig.kind, name: writtenBy };
  return fieldIssue(object, writtenBy === undefined ? "" : path, undefined, {
    code: "InvalidNodeFile",
    message: sentence`Nodes with this file pull no image: ${problem.replace(/:?\n[\s\S]*/, "")}`,
    remedy: "Correct the file, or remove it.",
  });
}

const anyImage = { repository: "registry.example.com/app", tag: "latest" };

/** Returns the files of signature policies that are none. */
export function invalidPolicies(files: readonly NodeFile[]): readonly RefusedFile[] {
  return files
    .filter(({ path, contents }) => path.endsWith(".json") && !tryFindPolicy(contents, anyImage))
    .map((file) => ({ file, problem: "it is not a signature policy" }));
}
