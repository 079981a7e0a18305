import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hypershiftModule } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { openshiftApiModule } from "#shared/domain/hosted-clusters/facts/openshift-api.ts";
import packageJson from "../../package.json" with { type: "json" };
import { paths } from "../paths.ts";

const read = (path: string) => readFile(join(paths.root, path), "utf8");
const page = await read("docs/versions.md");
const rowOf = (system: string) =>
  page.split("\n").find((line) => line.startsWith(`| ${system} |`)) ?? "no row";

const modules = new Map<string, Set<string>>();
// The versions of libraries that CRI-O is built with are its own choice.
const exclude = (path: string) => path.includes("node_modules") || path.includes("servers/crio");
for await (const file of glob("{bench,test}/**/*.mod", { cwd: paths.root, exclude }))
  for (const [, name = "", version = ""] of (await read(file)).matchAll(
    /^(?:require)?\s*(\S+\.\S+\/\S+) (v\S+)/gm,
  ))
    modules.set(name, (modules.get(name) ?? new Set()).add(version));
const versionsOf = (name: string) => [...(modules.get(name) ?? ["no such module"])];

test.for([
  ["Node.js", [packageJson.devDependencies.node]],
  ["OpenShift's API", [openshiftApiModule.version]],
  [
    "machine-config-operator",
    [
      ...versionsOf("github.com/containers/image/v5"),
      ...versionsOf("github.com/openshift/runtime-utils"),
      ...versionsOf("github.com/coreos/ignition/v2"),
    ],
  ],
  ["HyperShift", [...versionsOf("github.com/openshift/hypershift"), hypershiftModule.version]],
  ["TALM", versionsOf("github.com/openshift-kni/cluster-group-upgrades-operator")],
  ["OCM", versionsOf("open-cluster-management.io/ocm")],
  ["Kubernetes", versionsOf("k8s.io/kubernetes")],
  ["Helm", versionsOf("helm.sh/helm/v4")],
  ["KEDA", versionsOf("github.com/kedacore/keda/v2")],
  ["SQS, SNS", [packageJson.dependencies.fauxqs]],
  ["podman", versionsOf("go.podman.io/podman/v6")],
] as const)("When tests run against $0, docs/versions.md should name the version", ([system, versions]) => {
  for (const version of versions) expect(rowOf(system)).toContain(version);
});

test("When tests run against ElasticMQ, docs/versions.md should name the version", async () => {
  const [, version = "none"] =
    /<version>(.*)<\/version>\s*<\/dependency>/.exec(await read("test/elasticmq/server/pom.xml")) ?? [];
  expect(rowOf("ElasticMQ")).toContain(version);
});

test("When a kind of hubrelay has another version, docs/versions.md should say what that promises", async () => {
  for await (const file of glob("infra/crds/*.yaml", { cwd: paths.root })) {
    const versions = (await read(file)).match(/^ +- name: v\d\w*$/gm) ?? [];
    for (const line of versions) expect(page).toContain(`\`${line.replace(/^.*name: /, "")}\``);
  }
});
