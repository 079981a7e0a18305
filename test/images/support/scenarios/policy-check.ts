import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../../infra/run-program.ts";
import { cached } from "../../../cluster/support/programs/cache.ts";

/** Why signatures cannot be checked on this machine: empty when they can. */
export const whyNoPolicyCheck =
  spawnSync("go", ["version"]).status === 0
    ? ""
    : "Go is not on the PATH, and podman may be built without sigstore";

const source = join(import.meta.dirname, "../../policy-check");

/**
 * Builds the Go program that checks with the container runtime's own library whether a signature policy accepts an
 * image, and returns its path: built once for the machine.
 */
export async function builtPolicyCheck(): Promise<string> {
  const flags = ["-trimpath", "-mod=readonly", "-tags=containers_image_openpgp", "-ldflags=-s -w"];
  const files = (await readdir(source)).sort().map((file) => join(source, file));
  return await cached("policy-check", { tier: "images", files, texts: flags }, (unfinished) =>
    succeeded("go", ["build", ...flags, "-o", unfinished, "."], {
      cwd: source,
      env: { ...process.env, CGO_ENABLED: "0" },
    }),
  );
}
