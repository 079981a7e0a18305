import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";

/** Why a stand-in reads catalogs: empty where the real `opm` can be built. */
export const whyStubOpm = spawnSync("go", ["version"]).status === 0 ? "" : "Go is not on the PATH";

/** Replaces `opm render FOLDER`: prints the JSON files below the folder, unchecked. */
export const stubOpm = '#!/bin/sh\nexec find "$2" -name "*.json" -exec cat {} +\n';

const module = join(paths.root, "infra/precache-workload/opm");

/**
 * Returns the path of the operator-registry's own `opm`, as the workload's image has it: built in minutes the first time,
 * and from Go's cache afterwards. Undefined without Go.
 */
export async function builtOpm(): Promise<string | undefined> {
  if (whyStubOpm !== "") return undefined;
  const program = join(paths.cache, "images", "opm");
  const flags = ["-trimpath", "-mod=readonly", "-tags=containers_image_openpgp", "-ldflags=-s -w"];
  const command = "github.com/operator-framework/operator-registry/cmd/opm";
  await succeeded("go", ["build", ...flags, "-o", program, command], {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: "1" },
  });
  return program;
}
