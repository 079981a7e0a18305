import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { readStdin } from "../../io/input-text.ts";
import { readSources } from "../../io/manifest-source.ts";
import { print, printMessage, safe, verbatim } from "../../io/safe-text.ts";
import { clusterKinds } from "../mirrors/check-clusters.ts";

/** Runs `hubrelay config propose`: prints a proposal for the setting `clusters`, as YAML. Returns the exit code. */
export async function propose({
  filename = ["."],
}: Readonly<{ filename?: readonly string[] }>): Promise<number> {
  const clusters = (await readSources(filename, readStdin)).proposed(clusterKinds);
  if (clusters.length === 0)
    printMessage(safe`No object is defined differently in two folders: nothing to name.`);
  else print(verbatim(writeYaml({ clusters })));
  return 0;
}
