import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";

/** Why signatures cannot be checked on this machine: empty when they can. */
export const whyNoPolicyCheck =
  spawnSync("go", ["version"]).status === 0
    ? ""
    : "Go is not on the PATH, and podman may be built without sigstore";

const source = join(import.meta.dirname, "../../policy-check");

/**
 * Builds the Go program that checks with the container runtime's own library whether a signature policy accepts an
 * image, and returns its path. The first build takes about 40 s; with Go's cache, later builds take one second.
 */
export async function builtPolicyCheck(): Promise<string> {
  const program = join(paths.cache, "images", "policy-check");
  const flags = ["-trimpath", "-mod=readonly", "-tags=containers_image_openpgp", "-ldflags=-s -w"];
  await succeeded("go", ["build", ...flags, "-o", program, "."], {
    cwd: source,
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  return program;
}
