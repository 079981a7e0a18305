import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../../infra/command.ts";
import { paths } from "../../../../infra/paths.ts";
import type { ImageFile } from "../registries/image.ts";

/** Why a stand-in renders catalogs: empty where the real `opm` can be built. */
export const whyStubOpm = spawnSync("go", ["version"]).status === 0 ? "" : "Go is not on the PATH";

/** Replaces `opm render FOLDER`: prints the JSON files below the folder, unchecked. */
export const stubOpm: ImageFile = {
  path: "bin/opm",
  content: '#!/bin/sh\nexec find "$2" -name "*.json" -exec cat {} +\n',
  isProgram: true,
};

/** The operator-registry's own `opm`: built in minutes the first time, and from Go's cache afterwards. */
export async function builtOpm(): Promise<ImageFile> {
  if (whyStubOpm !== "") return stubOpm;
  const program = join(paths.cache, "images", "opm");
  const flags = ["-trimpath", "-mod=readonly", "-tags=containers_image_openpgp", "-ldflags=-s -w"];
  const command = "github.com/operator-framework/operator-registry/cmd/opm";
  await succeeded("go", ["build", ...flags, "-o", program, command], {
    cwd: join(import.meta.dirname, "../../opm"),
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  return { path: "bin/opm", content: await readFile(program), isProgram: true };
}
