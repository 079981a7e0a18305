import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";
import { cached } from "../../../cluster/support/programs/cache.ts";

/** Why a stand-in reads catalogs: empty where the real `opm` can be built. */
export const whyStubOpm = spawnSync("go", ["version"]).status === 0 ? "" : "Go is not on the PATH";

/** Replaces `opm render FOLDER`: prints the JSON files below the folder, unchecked. */
export const stubOpm = '#!/bin/sh\nexec find "$2" -name "*.json" -exec cat {} +\n';

const module = join(paths.root, "infra/precache-workload/opm");

/**
 * Returns the path of the operator-registry's own `opm`, as the workload's image has it: built once for the
 * machine, in minutes. Undefined without Go.
 */
export async function builtOpm(): Promise<string | undefined> {
  if (whyStubOpm !== "") return undefined;
  const flags = ["-trimpath", "-mod=readonly", "-tags=containers_image_openpgp", "-ldflags=-s -w"];
  const command = "github.com/operator-framework/operator-registry/cmd/opm";
  const inputs = { tier: "images", files: [join(module, "go.mod")], texts: [...flags, command] } as const;
  return await cached("opm", inputs, (unfinished) =>
    succeeded("go", ["build", ...flags, "-o", unfinished, command], {
      cwd: module,
      env: { ...process.env, CGO_ENABLED: "1" },
    }),
  );
}
