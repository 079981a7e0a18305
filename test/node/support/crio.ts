import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../infra/run-program.ts";
import { cached, type Log } from "../../cluster/support/programs/cache.ts";
import { moduleDirectory } from "../../cluster/support/programs/go.ts";
import { goProgram, serverFolder } from "../../cluster/support/programs/go-program.ts";

const module = "github.com/cri-o/cri-o";

/** Returns the path of CRI-O, built from its Go module when it is not cached, without storage drivers that need libraries. */
export const crio = (log: Log): Promise<string> =>
  goProgram(
    {
      name: "crio",
      program: `${module}/cmd/crio`,
      module,
      tags: ["containers_image_openpgp", "exclude_graphdriver_btrfs", "exclude_graphdriver_devicemapper"],
      usesC: true,
    },
    log,
  );

/** Returns the path of pinns, which keeps the namespaces of CRI-O's pods; it is C, a part of the same module. */
export async function pinns(log: Log): Promise<string> {
  const folder = serverFolder("crio");
  return cached("pinns", { files: [join(folder, "go.mod")], texts: [] }, async (output) => {
    log("building pinns");
    const source = join(await moduleDirectory(folder, module), "pinns/src");
    const files = (await readdir(source)).filter((file) => file.endsWith(".c"));
    await succeeded("gcc", ["-O2", "-static", "-o", output, ...files], { cwd: source });
  });
}
