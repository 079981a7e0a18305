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
  { what: "YAML", conf: yaml("imageGCHighThresholdPercent: 70"), percent: "70" },
  { what: "YAML with a trailing comment", conf: yaml("imageGCHighThresholdPercent: 9 # low"), percent: "9" },
  { what: "YAML in flow style", conf: "{kind: K, imageGCHighThresholdPercent: 99}", percent: "99" },
  { what: "JSON in one line", conf: json(70), percent: "70" },
  { what: "JSON over several lines", conf: JSON.stringify(JSON.parse(json(71)), null, 2), percent: "71" },
  { what: "YAML that has it in a comment", conf: yaml("# imageGCHighThresholdPercent: 70"), percent: "85" },
  {
    what: "YAML with another field's name in it",
    conf: yaml("myimageGCHighThresholdPercent: 70"),
    percent: "85",
  },
  { what: "without the field", conf: yaml(""), percent: "85" },
  { what: "empty", conf: "", percent: "85" },
  { what: "absent", conf: undefined, percent: "85" },
  { what: "JSON with null", conf: json(null), percent: "85" },
  { what: "YAML with 0", conf: yaml("imageGCHighThresholdPercent: 0"), percent: "85" },
  { what: "YAML with 100", conf: yaml("imageGCHighThresholdPercent: 100"), percent: "85" },
])("When the node's kubelet.conf is $what, the threshold should be $percent %", async ({ conf, percent }) => {
  expect(await thresholdOf(conf)).toBe(percent);
});
