import { expect, test } from "vitest";
import { reportsFor } from "../support/precache/precache-snapshots.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const mirrors = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: acme}
spec: {imageDigestMirrors: [{source: quay.io/acme, mirrors: [mirror.example.com/acme]}]}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
spec: {}
`;
const policy = `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: {name: acme}
spec: {repositoryDigestMirrors: [{source: quay.io/acme, mirrors: [mirror.example.com/acme]}]}
`;
const hosted = ["clusters, name: shop", "clusters, name: bank", "others, name: bank"]
  .map(
    (name) =>
      `apiVersion: hypershift.openshift.io/v1beta1\nkind: HostedCluster\nmetadata: {namespace: ${name}, annotations: {hubrelay.dev/take-over: "true"}}\nspec: {release: {image: quay.io/openshift-release-dev/ocp-release:4.20.4-multi}}\n`,
  )
  .join("---\n");
const upgrade = aPlannedUpgrade(["sno1", "sno2", "sno3"]);
const reports = reportsFor(upgrade, { sno1: { state: "Succeeded" }, sno3: { state: "Active" } });
const folder = sharedFolder({
  "mirrors.yaml": mirrors,
  "policy.yaml": policy,
  "hosted.yaml": hosted,
  "page.json": "<html>",
  "secret.json": "hunter2",
  "empty/notes.txt": "",
  "comments.yaml": "# nothing here\n",
  "foreign.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
  "hub/upgrade.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [upgrade, ...reports] }),
});
const image = "quay.io/acme/app:v1";

/** Commands, and what they say on one line; with a hub other than the folder, or "" without one. */
const rows: readonly (readonly [command: string, problem: string, hub?: string])[] = [
  ["rendr", "unknown command 'rendr' (Did you mean render?). Run 'hubrelay --help'"],
  ["precache plna", "unknown command 'plna' (Did you mean plan?). Run 'hubrelay precache --help'"],

  // The hub.
  ["windows --kubeconfig /nowhere", "--kubeconfig /nowhere does not exist."],
  ["windows --context x -f -", "--context has no effect with -f, which reads no hub."],
  ["validate mirrors.yaml --context x", "--context has no effect with -f, which reads no hub."],
  ["diff a b --context x", '--context has no effect here: none of the sides is "hub".'],
  ["windows --context x", "--context x: HUBRELAY_HUB is directory:hub, which has no contexts."],
  ["validate", "or HUBRELAY_HUB; most commands also take manifests with -f.", ""],
  ["verify", "has no object that a function reconciles.", "directory:empty"],
  ["validate", "nothing to check: the hub has no object of a kind", "directory:empty"],
  ["precache retry upgrade", "does not exist). Set --kubeconfig, KUBECONFIG or HUBRELAY_HUB;", ""],
  ["windows", "HUBRELAY_HUB has no adapter; it should be like directory:/mnt/hub", "nonsense"],
  ["hosted", "names no cluster", "kubeconfig:policy.yaml"],
  ["verify", "directory:/nowhere/typo, a folder that does not exist", "directory:/nowhere/typo"],

  // Files.
  ["validate mirrors.yaml -o xml", "Allowed choices are"],
  ["validate mirrors.yaml -o", "argument missing"],
  ["validate mirrors.yaml --nonsense", "unknown option '--nonsense'"],
  ["validate - --against -", "only one of -f and --against can be"],
  ["validate mirrors.yaml --against nowhere", "nowhere: no such file or directory"],
  ["validate . --fail-on drian", "Did you mean drain? Run"],
  ["validate - --release-version new", "argument 'new' is invalid. It must be a version such as 4.21.0."],
  ["validate - --release-image ocp", "argument 'ocp' is invalid. It is not a full image reference."],
  ["render -f - --dir out", "--dir needs -o files."],
  ["render -f - -o files", "-o files needs --dir DIR, the output folder."],
  ["render -f - -o json --pool master", "--pool needs -o machine-config."],
  ["render -f - --explain quay.io/acme -o policy-json", "--explain supports text output, or JSON with"],
  ["render -f - --explain quay.io", "no entry of this scope"],
  ["render -f - -o machine-config --pool wroker", "no such MachineConfigPool: wroker (Did you mean worker?)"],
  [`explain docker://${image} -f -`, "remove the scheme"],
  ["explain -f -", "image"],
  ["diff mirrors.yaml", "new"],
  ["diff nowhere mirrors.yaml", "nowhere: no such file"],
  ["diff - -", "only one side"],
  ["diff - . -k hub", "- is not a folder. With -k or --helm each side is one, in which the folder is"],
  ["diff . hub -k nowhere", "nowhere is in neither . nor hub."],
  ["convert -f policy.yaml --dir policy.yaml", '"policy.yaml" exists and is a file'],
  ["convert -f policy.yaml --release-image quay.io/a/b:5.0.0", "only with --check"],
  ["import empty -f mirrors.yaml", "has no manifests"],
  ["render -f empty", "nothing to check: empty has no file that ends in .yaml, .yml or .json. Name other"],
  ["verify -f comments.yaml", "nothing to check: comments.yaml has no objects. Name other manifests."],
  [`explain ${image} -f foreign.yaml`, "are of kinds that hubrelay explain does not check (ConfigMap)."],
  ["hosted -f foreign.yaml", "are of kinds that hubrelay hosted does not check (ConfigMap)."],
  ["import nowhere -f mirrors.yaml", "is not a directory"],
  ["windows -f - -n south -A", "option '-A, --all-namespaces' cannot be used with option '-n"],
  ["windows -f - -l a(b", "must be a label selector such as"],
  ["windows -f - --next -1", "a whole number from 1 to 1000. Run 'hubrelay windows --help' for usage."],
  ["windows -f - --now 2026-12-23T02:00:00", "--now"],

  // Hosted clusters.
  ["hosted -f hosted.yaml bnak", "no such HostedCluster: bnak (Did you mean bank?)"],
  ["hosted -f hosted.yaml clusters/bnk", "no such HostedCluster: clusters/bnk (Did you mean clusters/bank?)"],
  ["hosted -f hosted.yaml bank", "several HostedClusters match: clusters/bank, others/bank."],
  ["hosted -f hosted.yaml --to-release next", "'next' is invalid. It must be a version such as 4.21.0."],
  ["hosted -f hosted.yaml --check --pull-secret secret.json", "The pull secret is not valid JSON."],
  [
    `hosted explain ${image} -f hosted.yaml`,
    "Add the name of one: clusters/bank, clusters/shop, others/bank.",
  ],
  [`hosted explain ${image} shop -f hosted.yaml --pull-secret x`, "--pull-secret needs --check."],
  [`hosted explain ${image} shop -f hosted.yaml --check --pull-secret /nowhere`, "cannot be read"],

  // Registries.
  ["ready -f -", "nothing to check"],
  ["ready -f - --release newest", "It must be a version such as 4.20.4, or a release image with its"],
  ["ready -f - --catalog =a:b", "It must be INDEX, or INDEX=package:channel,…"],
  ["ready -f - --image a.io/b:1 --arch x86", "Allowed choices are amd64, arm64, ppc64le, s390x."],
  ["ready -f - --catalog =", "must be INDEX"],
  ["ready -f - --release v4.20.4", "must be a version such as 4.20.4, or a release image"],
  ["ready -f - --image quay.io/a --pull-secret /nowhere", "cannot be read"],
  ["ready -f - --image quay.io/a --pool none", "no such MachineConfigPool"],

  // Pre-caching.
  ["precache plan -f hub nobody", "no such ClusterGroupUpgrade: nobody"],
  ["precache plan -f hub --update-graph nobody.json", "nobody.json cannot be read"],
  ["precache plan -f hub --update-graph page.json", "is not an update graph, which is a JSON object"],
  ["precache plan -f hub --sizes --size 18GiB", "--size and --sizes exclude each other."],
  ["precache plan -f hub --bandwidth 100", "--bandwidth needs --sizes, --size or --by."],
  ["precache plan -f hub --pull-secret x", "--pull-secret needs --sizes."],
  ["precache plan -f hub --sizes --bandwidth fast", "must be Mbit/s such as 100, or SITE=20."],
  ["precache plan -f hub --sizes --bandwidth rome=20", "no planned cluster belongs to this site"],
  ["precache plan -f hub --sizes --pull-secret /nowhere", "--pull-secret /nowhere cannot be read: no"],
  ["precache plan -f hub --sizes --pull-secret secret.json", "cannot be used: The pull secret is not valid"],
  ["precache status -f - --watch", "--watch has no effect with -f"],
  ["precache status --time-zone UTC", "--time-zone needs --by."],
  ["precache status upgrad", "no such ClusterGroupUpgrade: upgrad (Did you mean upgrade?)"],
  ["precache status --cluster snow1", "no planned ClusterGroupUpgrade pre-caches snow1; "],
  ["precache retry ugrade", "no such ClusterGroupUpgrade: ugrade (Did you mean upgrade?)"],
  ["precache retry upgrade --cluster sn1", "upgrade does not pre-cache sn1 (Did you mean sno1?)"],
  ["precache check upgrade --cluster sno3", "nothing to check, no cluster has succeeded: sno3 (Active)."],
  ["precache check upgrade --timeout soon", "It must be a duration such as 20m"],

  // Processes.
  ["dev --simulate 3 --once", "'--simulate <n>' cannot be used with option '--once'"],
  ["dev --simulate 3 --hub hub", "--hub hub has files already; name an empty folder."],
  ["dev --simulate 3 --update-graph x", "--update-graph cannot be used with"],
  ["dev --seed 3", "--seed needs --simulate."],
  ["dev --once --hub new --from nowhere", "--from nowhere cannot be used: no such file or directory"],
  ["dev --once --hub mirrors.yaml", "--hub mirrors.yaml cannot be used: a file has this name"],
  ["dev --once --hub mirrors.yaml/hub", "cannot be used: a part of the path is a file, not a folder"],
  ["dev --once --update-graph nobody.json", "--update-graph nobody.json cannot be read: no such file"],
  ["verify --function other", "no such function: other; known functions: hosted-clusters, "],
  ["resync --function mirror-configs", "no such function: mirror-configs; known functions: "],
  ["dlq replay", "either --queue or --all is required"],
];

test.for(rows)("When the command is '%s', it should say on one line: %s", async ([command, problem, hub]) => {
  const { stdout, stderr, exitCode } = await hubrelay(command.split(" "), {
    cwd: folder.path,
    stdin: mirrors,
    ...(hub === "" ? {} : { hub: hub ?? "directory:hub" }),
  });
  expect({ stdout, stderr, exitCode }).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^hubrelay: [^\n]+\n$/),
    exitCode: 2,
  });
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain("hunter2");
});
