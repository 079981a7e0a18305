import { describe, expect, test } from "vitest";
import { hubrelay } from "./cli-in-process.ts";

const digest = `sha256:${"d".repeat(64)}`;
const release = "quay.io/openshift-release-dev/ocp-release";
const handedOver = 'annotations: {hubrelay.dev/take-over: "true"}';
const manifests = `
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: shop.eu, namespace: clusters, ${handedOver}}
spec: {release: {image: "${release}:4.20.4-multi"}}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: bank, namespace: clusters, ${handedOver}}
spec: {release: {image: "${release}:4.19.1-multi"}}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: bank, namespace: others, ${handedOver}}
spec: {}
---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: acme}
spec:
  imageDigestMirrors:
  - {source: quay.io/openshift-release-dev, mirrors: [m2.example.com/x, m1.example.com/x]}
  - {source: ${release}, mirrors: [m3.example.com/a/b]}
  - {source: docker.io, mirrors: [m1.example.com/hub]}
`;

const hosted = (...args: readonly string[]) => hubrelay(["hosted", ...args, "-f", "-"], { stdin: manifests });

type Report = Readonly<{ namespace: string; name: string; issues: readonly Readonly<{ code: string }>[] }>;

describe("hubrelay hosted", () => {
  test("When all are requested as JSON, each should have its object, including the invalid one", async () => {
    const { stdout, stderr, exitCode } = await hosted("-o", "json");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("error: HostedCluster/others/bank spec.release.image");
    const clusters: readonly Report[] = JSON.parse(stdout);
    expect(clusters.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
      "clusters/bank",
      "clusters/shop.eu",
      "others/bank",
    ]);
    expect(clusters[1]).toMatchObject({
      controlPlaneNamespace: "clusters-shop-eu",
      registryOverrides: {
        "quay.io/openshift-release-dev": ["m2.example.com/x", "m1.example.com/x"],
        [release]: ["m3.example.com/a/b"],
      },
      issues: [],
    });
    expect(clusters[2]?.issues.map(({ code }) => code)).toContain("MissingField");
  });

  test("When the table is requested, there should be a line for each, and all details of one", async () => {
    const all = await hosted();
    expect(all.stdout).toBe(`HOSTEDCLUSTER     CONTROL PLANE     SOURCES  CATALOGS  CAPABILITIES  ISSUES
clusters/bank     clusters-bank     2        4         all           0
clusters/shop.eu  clusters-shop-eu  2        4         16            0
others/bank       others-bank       3        0         16            2
`);
    const { stdout } = await hosted("clusters/bank", "--release-version", "4.17.3", "--to-release", "4.18.0");
    expect(stdout).toContain(`clusters/bank
  control plane         clusters-bank
  registry overrides    quay.io/openshift-release-dev from m2.example.com/x, m1.example.com/x
                        ${release} from m3.example.com/a/b
  catalogs              certified-operators from registry.redhat.io/redhat/certified-operator-index:v4.17
`);
    expect(stdout).toContain("  with 4.18.0           turns on OperatorLifecycleManagerV1\n");
  });

  test("When there is none, it should report that, and return an empty list as JSON", async () => {
    const stdin = manifests.slice(manifests.lastIndexOf("---"));
    const none = (...args: readonly string[]) => hubrelay(["hosted", "-f", "-", ...args], { stdin });
    expect(await none()).toMatchObject({ stdout: "No HostedClusters found.\n", exitCode: 0 });
    expect(await none("-o", "json")).toMatchObject({ stdout: "[]\n", exitCode: 0 });
  });
});

describe("hubrelay hosted explain", () => {
  test("When text is requested, it should have a line for each location", async () => {
    const { stdout } = await hosted("explain", "docker.io/library/nginx:1", "shop.eu");
    expect(stdout).toBe(`docker.io/library/nginx:1
  taken      m1.example.com/hub/library/nginx:1  mirror m1.example.com/hub of docker.io
  not taken  docker.io/library/nginx:1           the image itself; HyperShift tries it only if the candidates before it cannot be read
`);
  });

  test("When a node pool is named, its nodes' own mirrors should count", async () => {
    const stdin = `
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: shop, namespace: clusters}
spec:
  release: {image: "${release}:4.20.4-multi"}
  imageContentSources: [{source: quay.io, mirrors: [m.lan/quay]}]
---
apiVersion: hypershift.openshift.io/v1beta1
kind: NodePool
metadata: {name: blue, namespace: clusters}
spec: {clusterName: shop, replicas: 1, release: {image: "${release}:4.20.4-multi"}, config: [{name: own}, {name: gone}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: own, namespace: clusters}
data:
  config: |
    apiVersion: config.openshift.io/v1
    kind: ImageDigestMirrorSet
    metadata: {name: own}
    spec: {imageDigestMirrors: [{source: quay.io/team, mirrors: [m.lan/team], mirrorSourcePolicy: NeverContactSource}]}
`;
    const explain = (image: string, pool = "blue") =>
      hubrelay(["hosted", "explain", image, "--node-pool", pool, "-f", "-"], { stdin });
    expect(await explain(`quay.io/team/app@${digest}`)).toEqual({
      stdout: `quay.io/team/app@${digest}
  taken      m.lan/team/app@${digest}    mirror
  not taken  quay.io/team/app@${digest}  the image itself; it is in quay.io/team, which is blocked
`,
      stderr: "hubrelay: not read: ConfigMap gone of spec.config, which may have other mirrors\n",
      exitCode: 0,
    });
    expect((await explain("quay.io/team/app:v1")).exitCode).toBe(1);
    const all = (...args: readonly string[]) => hubrelay(["hosted", "-f", "-", ...args], { stdin });
    expect(await all()).toMatchObject({ exitCode: 0, stderr: "" });
    const required = await all("--require-coverage");
    expect(required.stderr).toMatch(
      /^error: Coverage\/input: Not read: ConfigMap\/clusters\/gone: not given\. \[NotCovered\]\n/,
    );
    expect(required.exitCode).toBe(1);
    expect(await explain("quay.io/team/app:v1", "red")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no such NodePool of clusters/shop: red"),
    });
  });
});
