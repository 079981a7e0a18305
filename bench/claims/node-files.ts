import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { renderIgnition } from "#shared/domain/openshift/machine-config/ignition.ts";
import { roleLabel } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { Claim, MeasuredRow } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";
import { commandFile, commandTime } from "../support/command-time.ts";
import { largeConfiguration } from "../support/large-configuration.ts";

const goal = { atMost: 1.3 };

function dropIn(index: number): KubernetesObject {
  const { apiVersion, kind } = kinds.MachineConfig;
  const name = `99-worker-tags-${index}`;
  const text = `[[registry]]\nlocation = "quay.io/tags/app-${index}"\n[[registry.mirror]]\nlocation = "tags.example.com/app-${index}"\n`;
  const files = [textFile(`/etc/containers/registries.conf.d/${name}.conf`, text)];
  const metadata = { name, labels: { [roleLabel]: "worker" } };
  return { apiVersion, kind, metadata, spec: { config: renderIgnition(files) } };
}

async function writeFolder(folder: string, objects: readonly KubernetesObject[]): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, "cluster.yaml"), objects.map(writeManifest).join("---\n"));
  return folder;
}

const run = (args: readonly string[], expected: RegExp) =>
  commandTime([commandFile, ...args], ({ status, stdout }) => status === 0 && expected.test(stdout));

export const nodeFiles: Claim = {
  name: "node-files",
  goal: "explain and diff take at most 1.3 times the processor time beside 1,000 MachineConfigs with drop-ins, process start to end",
  async run({ smoke }) {
    const [sources, count] = smoke ? [1_000, 100] : [10_000, 1_000];
    const { idms, icsp, itms } = largeConfiguration(sources);
    const objects = [...idms, ...icsp, ...itms];
    const dropIns = Array.from({ length: count }, (_, index) => dropIn(index));
    await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-node-files-"));
    const folderOf = (name: string, some: readonly KubernetesObject[]) =>
      writeFolder(join(folder.path, name), some);
    const without = await folderOf("without", objects);
    const beside = await folderOf("beside", [...objects, ...dropIns]);
    const changedWithout = await folderOf("changed-without", objects.slice(1));
    const changedBeside = await folderOf("changed-beside", [...objects.slice(1), ...dropIns]);
    const image = "quay.io/tags/app-7:v1";
    const commands = [
      {
        command: "explain",
        subject: () => run(["explain", image, "-f", beside], /tags\.example\.com/),
        floor: () => run(["explain", image, "-f", without], /quay\.io/),
      },
      {
        command: "diff",
        subject: () => run(["diff", beside, changedBeside], /removed/),
        floor: () => run(["diff", without, changedWithout], /removed/),
      },
    ];
    const rows: MeasuredRow[] = [];
    for (const { command, subject, floor } of commands) {
      const [ours, alone] = [series(subject), series(floor)];
      await inTurns(smoke ? 1 : 5, ours, alone);
      const [subjectMs, floorMs] = [median(ours.values), median(alone.values)];
      rows.push({
        subject: `${command}: ${sources.toLocaleString("en")} sources × 3 mirrors, ${count.toLocaleString("en")} MachineConfigs`,
        against: "the same without MachineConfigs",
        ratio: subjectMs / floorMs,
        measures: "processor time",
        goal,
        numbers: { subjectMs, floorMs },
      });
    }
    return rows;
  },
};
