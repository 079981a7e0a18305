import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finished } from "../run-program.ts";

const threshold =
  'set -uo pipefail; source "$FOLDER/settings.sh"; source "$FOLDER/space.sh"; image_gc_threshold';

/** Returns the threshold that the workload reads; undefined is a node without kubelet.conf. */
async function thresholdOf(kubeletConf: string | undefined): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kubelet-conf-"));
  const kubernetes = join(folder.path, "etc/kubernetes");
  await mkdir(kubernetes, { recursive: true });
  if (kubeletConf !== undefined) await writeFile(join(kubernetes, "kubelet.conf"), kubeletConf);
  const env = { ...process.env, HOST_FOLDER: folder.path, FOLDER: import.meta.dirname };
  const { code, stdout, stderr } = await finished("bash", ["-c", threshold], { cwd: folder.path, env });
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

const yaml = (line: string) =>
  `kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n${line}\nmaxPods: 250\nimageGCLowThresholdPercent: 7\n`;
const json = (value: unknown) =>
  JSON.stringify({
    kind: "KubeletConfiguration",
    imageGCLowThresholdPercent: 7,
    imageGCHighThresholdPercent: value,
  });

test.for([
  ["YAML", yaml("imageGCHighThresholdPercent: 70"), "70"],
  ["YAML with a trailing comment", yaml("imageGCHighThresholdPercent: 9 # low"), "9"],
  ["YAML in flow style", "{kind: K, imageGCHighThresholdPercent: 99}", "99"],
  ["JSON in one line", json(70), "70"],
  ["JSON over several lines", JSON.stringify(JSON.parse(json(71)), null, 2), "71"],
  ["YAML that has it in a comment", yaml("# imageGCHighThresholdPercent: 70"), "85"],
  ["YAML with another field's name in it", yaml("myimageGCHighThresholdPercent: 70"), "85"],
  ["without the field", yaml(""), "85"],
  ["empty", "", "85"],
  ["absent", undefined, "85"],
  ["JSON with null", json(null), "85"],
  ["YAML with 0", yaml("imageGCHighThresholdPercent: 0"), "85"],
  ["YAML with 100", yaml("imageGCHighThresholdPercent: 100"), "85"],
] as const)("When the node's kubelet.conf is $0, the threshold should be $2 %", async ([, conf, percent]) => {
  expect(await thresholdOf(conf)).toBe(percent);
});
