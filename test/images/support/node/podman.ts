import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../../infra/run-program.ts";
import { cached } from "../../../cluster/support/programs/cache.ts";

const module = join(import.meta.dirname, "../../podman");
const command = "go.podman.io/podman/v6/cmd/podman";
const flags = [
  "-trimpath",
  "-mod=readonly",
  "-buildvcs=false",
  "-tags=containers_image_openpgp,exclude_graphdriver_btrfs",
  "-ldflags=-s -w",
];

/** Returns the folder of the `podman` that `../podman/go.mod` names; the first build takes minutes. */
export async function builtPodman(): Promise<string> {
  const files = ["go.mod", "go.sum"].map((name) => join(module, name));
  return cached("podman", { tier: "images", files, texts: [command, ...flags] }, async (unfinished) => {
    console.info("building the newest podman, once: minutes");
    await mkdir(unfinished);
    await succeeded("go", ["build", ...flags, "-o", join(unfinished, "podman"), command], {
      cwd: module,
      // It stores its state in SQLite, which is written in C.
      env: { ...process.env, CGO_ENABLED: "1" },
    });
  });
}
