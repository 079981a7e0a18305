import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import type { Claim } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";
import { commandFile, commandTime } from "../support/command-time.ts";

const perFile = 100;
/** One among this many objects has an error, whose position hubrelay has to find. */
const invalidEvery = 100;

function manifest(index: number): string {
  const name = `object-${index}`;
  const namespaced = { namespace: "fleet", name };
  const rule = {
    source: `registry.example.com/team-${index}/app${index % invalidEvery === 0 ? ":tag" : ""}`,
    mirrors: [`a.example.com/team-${index}/app`, `b.example.com/team-${index}/app`],
  };
  const build = [
    () => ({ ...kinds.ImageDigestMirrorSet, metadata: { name }, spec: { imageDigestMirrors: [rule] } }),
    () => ({ ...kinds.ImageTagMirrorSet, metadata: { name }, spec: { imageTagMirrors: [rule] } }),
    () => ({
      ...kinds.ClusterGroupUpgrade,
      metadata: namespaced,
      spec: {
        clusters: [`object-${index + 2}`],
        preCachingConfigRef: { namespace: "fleet", name: `object-${index + 1}` },
        remediationStrategy: { maxConcurrency: 10 },
      },
    }),
    () => ({
      ...kinds.PreCachingConfig,
      metadata: namespaced,
      spec: {
        spaceRequired: "40 GiB",
        additionalImages: [`registry.example.com/app@sha256:${"0".repeat(64)}`],
      },
    }),
    () => ({ ...kinds.ManagedCluster, metadata: { name, labels: { site: `site-${index % 40}` } } }),
    () => ({
      ...kinds.MaintenanceWindow,
      metadata: namespaced,
      spec: { schedule: "0 2 * * *", timeZone: "Europe/Oslo", duration: "2h" },
    }),
    () => ({
      ...kinds.HostedCluster,
      metadata: namespaced,
      spec: {
        release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.1-x86_64" },
        platform: { type: "KubeVirt" },
        capabilities: { disabled: ["ImageRegistry"] },
      },
    }),
  ];
  const window = 5;
  const chosen = index % 100 === 99 ? window : [0, 1, 0, 1, 2, 3, 4, 4, 6, 0][index % 10];
  const object = build[chosen ?? 0]?.() ?? {};
  const { plural: _, namespaced: _both, ...fields } = { plural: "", namespaced: false, ...object };
  return writeManifest({ apiVersion: "", kind: "", metadata: { name }, ...fields });
}

const run = (args: readonly string[], expected: number, lastLine: RegExp) =>
  commandTime(args, ({ status, stderr }) => status === expected && lastLine.test(stderr));

const parse = `
  import { readdirSync, readFileSync } from "node:fs";
  import { parseAllDocuments } from "yaml";
  for (const name of readdirSync(process.argv[1]))
    for (const document of parseAllDocuments(readFileSync(process.argv[1] + "/" + name, "utf8"))) document.toJS();
`;

export const validateManifests: Claim = {
  name: "validate-manifests",
  goal: "hubrelay validate checks 20,000 manifests in at most 3.2 times the processor time of a process that only parses them",
  async run({ smoke }) {
    const count = smoke ? 1000 : 20_000;
    await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-validate-"));
    for (let first = 0; first < count; first += perFile) {
      const some = Array.from({ length: perFile }, (_, index) => manifest(first + index));
      await writeFile(join(folder.path, `${first}.yaml`), some.join("---\n"));
    }
    const checked = new RegExp(`^${count} objects checked in ${count / perFile} files, 0 ignored, `, "m");
    const ours = series(() => run([commandFile, "validate", "-f", folder.path], 1, checked));
    const floor = series(() => run(["--input-type=module", "-e", parse, folder.path], 0, /^$/));
    await inTurns(smoke ? 1 : 5, ours, floor);
    const [subjectMs, floorMs] = [median(ours.values), median(floor.values)];
    const subject = `${count.toLocaleString("en")} manifests of eight kinds, one in a hundred with an error`;
    return [
      {
        subject,
        against: "a process that only parses the files",
        ratio: subjectMs / floorMs,
        measures: "processor time",
        goal: { atMost: 3.2 },
        // With few manifests, the start of the process takes most of the time.
        needsFullSize: true,
        numbers: { subjectMs, floorMs },
      },
    ];
  },
};
