import { describe, expect, test } from "vitest";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

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
/** The same where HyperShift writes. */
const ofHypershift = manifests.replaceAll(handedOver, "labels: {}");

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

  test("When metadata are invalid, it should still have its object, with the error reported once", async () => {
    const stdin = manifests.replace(
      `{name: shop.eu, namespace: clusters, ${handedOver}}`,
      "{name: shop.eu, namespace: clusters, annotations: {paused: true}}",
    );
    const { stdout, stderr, exitCode } = await hubrelay(["hosted", "shop.eu", "-f", "-", "-o", "json"], {
      stdin,
    });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "shop.eu", issues: [{ code: "InvalidManifest", path: "metadata.annotations.paused" }] },
    ]);
    expect(stderr.match(/It is a boolean and must be a string/g)).toHaveLength(1);
  });

  test("When HyperShift writes, it should have its text", async () => {
    const args = ["hosted", "shop.eu", "-f", "-", "-o", "json"];
    const { stdout, exitCode } = await hubrelay(args, { stdin: ofHypershift });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: "shop.eu",
        env: {
          OPENSHIFT_IMG_OVERRIDES: `docker.io=m1.example.com/hub,quay.io/openshift-release-dev=m1.example.com/x,quay.io/openshift-release-dev=m2.example.com/x,${release}=m3.example.com/a/b`,
        },
      },
    ]);
  });

  test("When the table is requested, there should be a line for each, and all details of one", async () => {
    const all = await hosted();
    expect(all.stdout).toBe(`HOSTEDCLUSTER     CONTROL PLANE     SOURCES  CATALOGS  CAPABILITIES  ISSUES
clusters/bank     clusters-bank     2        4         17            0
clusters/shop.eu  clusters-shop-eu  2        4         16            0
others/bank       others-bank       3        0         16            3
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

  test("When a change of the nodes' mirrors waits, it should be shown with cost, NodePools and window", async () => {
    const stdin = `${manifests}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata:
  {name: held, namespace: clusters, uid: a, annotations: {hubrelay.dev/image-content-sources: release}}
spec: {release: {image: "${release}:4.20.4-multi"}}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: NodePool
metadata: {name: blue, namespace: clusters}
spec: {clusterName: held, replicas: 3, management: {upgradeType: InPlace}}
`;
    const show = (...args: readonly string[]) => hubrelay(["hosted", ...args, "-f", "-"], { stdin });
    const text =
      "HyperShift drains every node of NodePool blue (3 nodes). Waits: the hosted cluster has no annotation hubrelay.dev/max-cost. No maintenance window allows it.";
    const { stdout } = await show("held");
    expect(stdout).toContain(`  held change           costs drain. ${text}
                        The mirrors of quay.io/openshift-release-dev become m2.example.com/x, m1.example.com/x.
`);
    const table = await show();
    expect(table.stdout).toMatch(/^HOSTEDCLUSTER .* ISSUES +HELD$/m);
    expect(table.stdout).toMatch(/^clusters\/held .* drain$/m);
    expect(table.stdout).toMatch(/^clusters\/bank .* -$/m);
    const json = await show("-o", "json");
    const found: readonly Record<string, unknown>[] = JSON.parse(json.stdout);
    expect(found.map(({ name, heldChange }) => ({ name, isHeld: heldChange !== undefined }))).toEqual([
      { name: "bank", isHeld: false },
      { name: "held", isHeld: true },
      { name: "shop.eu", isHeld: false },
      { name: "bank", isHeld: false },
    ]);
    expect(found[1]?.heldChange).toMatchObject({
      cost: "drain",
      maxCost: null,
      window: null,
      nodePools: [{ name: "blue", upgradeType: "InPlace", nodes: 3, cost: "drain" }],
    });
    // Nothing is known of what hubrelay derives without mirror objects.
    const alone = await hubrelay(["hosted", "-f", "-", "-o", "json"], {
      stdin: stdin.replace(/apiVersion: config.*?---/s, ""),
    });
    expect(JSON.parse(alone.stdout)[1]).not.toHaveProperty("heldChange");
  });

  test("When a release is given for several, a table should say which gains, loses and keeps what", async () => {
    const stdin = `
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: back, namespace: clusters}
spec: {release: {image: "${release}:4.12.4-multi"}}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: small, namespace: clusters}
spec:
  release: {image: "${release}:4.10.1-multi"}
  capabilities: {disabled: [Console, Insights, NodeTuning, openshift-samples]}
---
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: unknown, namespace: clusters}
spec: {release: {image: "${release}@${digest}"}}
`;
    const { stdout } = await hubrelay(["hosted", "-f", "-", "--to-release", "4.11.3"], { stdin });
    expect(
      stdout,
    ).toBe(`HOSTEDCLUSTER     FROM     TO      GAINS                   LOSES                                    KEEPS
clusters/back     4.12.4   4.11.3  -                       CSISnapshot, Console, Insights, Storage  baremetal, marketplace, openshift-samples
clusters/small    4.10.1   4.11.3  baremetal, marketplace  -                                        Console, Insights, NodeTuning, openshift-samples
clusters/unknown  unknown  4.11.3  -                       -                                        baremetal, marketplace, openshift-samples
`);
    const wide = await hubrelay(["hosted", "-f", "-", "--to-release", "4.11.3", "-o", "wide"], { stdin });
    expect(wide.stdout).toBe(stdout);
  });

  test("When a mirror has one part too few for HyperShift, it should report that, whoever writes", async () => {
    for (const given of [manifests, ofHypershift]) {
      const stdin = given.replace("m3.example.com/a/b", "m3.example.com/b");
      const { stderr, exitCode } = await hubrelay(["hosted", "clusters/bank", "-f", "-"], { stdin });
      expect(exitCode).toBe(0);
      expect(onOneLine(stderr)).toMatch(
        'warning: ImageDigestMirrorSet/acme spec.imageDigestMirrors[1].mirrors[0] "m3.example.com/b": HyperShift cannot make an image name',
      );
    }
  });

  test.for([
    { args: ["nobody"], reported: "no such HostedCluster: nobody\n" },
    { args: ["bnak"], reported: "no such HostedCluster: bnak (Did you mean bank?)" },
    {
      args: ["clusters/bnk"],
      reported: "no such HostedCluster: clusters/bnk (Did you mean clusters/bank?)",
    },
    { args: ["bank"], reported: "several HostedClusters match: clusters/bank, others/bank." },
    { args: ["--to-release", "next"], reported: "'next' is invalid. It must be a version such as 4.21.0." },
    { args: ["--release-version", "next"], reported: "'next' is invalid. It must be a version" },
    {
      args: ["--check", "--pull-secret", import.meta.filename],
      reported: "The pull secret is not valid JSON.",
    },
  ])("When the usage is wrong ($args), it should exit 2 and report the error", async ({ args, reported }) => {
    const { stdout, stderr, exitCode } = await hosted(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(reported);
  });

  test("When there is none, it should report that, and return an empty list as JSON", async () => {
    const stdin = manifests.slice(manifests.lastIndexOf("---"));
    const none = (...args: readonly string[]) => hubrelay(["hosted", "-f", "-", ...args], { stdin });
    expect(await none()).toMatchObject({ stdout: "No HostedClusters found.\n", exitCode: 0 });
    expect(await none("-o", "json")).toMatchObject({ stdout: "[]\n", exitCode: 0 });
  });
});

describe("hubrelay hosted explain", () => {
  test("When an image is explained as JSON, it should contain its candidates and its component's name", async () => {
    const image = `${release}@${digest}`;
    const { stdout, exitCode } = await hosted("explain", image, "-o", "json");
    expect(exitCode).toBe(0);
    const later = "it is tried only if the candidates before it do not have the image";
    const wide = { source: "quay.io/openshift-release-dev", taken: false, reason: later };
    expect(JSON.parse(stdout)).toEqual({
      image,
      candidates: [
        {
          reference: `m3.example.com/a/b@${digest}`,
          source: release,
          mirror: "m3.example.com/a/b",
          taken: true,
          reason: null,
        },
        { reference: `m2.example.com/x/ocp-release@${digest}`, mirror: "m2.example.com/x", ...wide },
        { reference: `m1.example.com/x/ocp-release@${digest}`, mirror: "m1.example.com/x", ...wide },
        { reference: image, source: release, mirror: null, taken: false, reason: later },
      ],
      componentImage: image,
    });
  });

  test("When text is requested, it should have a line for each location", async () => {
    const { stdout } = await hosted("explain", "docker.io/library/nginx:1", "shop.eu");
    expect(stdout).toBe(`docker.io/library/nginx:1
  not taken  m1.example.com/hub/library/nginx:1  mirror m1.example.com/hub of docker.io; this mirror serves images by digest only, and this one has a tag
  taken      docker.io/library/nginx:1           the image itself
`);
  });

  test("When registries are overridden, it should report the component's name", async () => {
    const { stdout } = await hosted(
      "explain",
      `quay.io/ns/app@${digest}`,
      "--registry-overrides",
      "quay.io=r.lan",
    );
    expect(stdout).toContain(`As a component of a release it is r.lan/ns/app@${digest}.\n`);
  });

  const replaced = async (...args: readonly string[]) => {
    const image = "quay.io/ns-dev/app:1";
    const { stdout, stderr } = await hosted("explain", image, ...args, "-o", "json");
    const { componentImage, otherComponentImages } = JSON.parse(stdout);
    const codes = stderr.match(/(?<=^(?:\S+: )?)warning: (?:Option|HostedCluster)\S+/gm) ?? [];
    return { componentImage, otherComponentImages, codes };
  };
  test.for([
    { args: ["shop.eu"], componentImage: "m.io-dev/app:1" },
    { args: ["--release-version", "4.20.1"], componentImage: "m.io-dev/app:1" },
    { args: ["--release-version", "4.21.0"], componentImage: "quay.io/ns-dev/app:1" },
  ])(
    "When a flag is explained ($args), the control plane's release should decide how it is applied",
    async ({ args, componentImage }) => {
      expect(await replaced(...args, "--registry-overrides", "quay.io/ns=m.io")).toEqual({
        componentImage,
        otherComponentImages: undefined,
        codes: [],
      });
    },
  );

  test("When the order of replacements decides, every name should be listed, with a warning", async () => {
    const flag = ["--registry-overrides", "quay.io=a.io,quay.io/ns=b.io"];
    expect(await replaced("shop.eu", ...flag)).toEqual({
      componentImage: "a.io/ns-dev/app:1",
      otherComponentImages: ["b.io-dev/app:1"],
      codes: ["warning: Option/--registry-overrides"],
    });
    const { stdout } = await hosted("explain", "quay.io/ns-dev/app:1", "shop.eu", ...flag);
    expect(stdout).toContain("As a component of a release it is a.io/ns-dev/app:1 or b.io-dev/app:1.\n");
    // Without a cluster the newest rule counts, and each cluster with another result is named.
    expect(await replaced(...flag)).toMatchObject({
      componentImage: "a.io/ns-dev/app:1",
      codes: ["warning: HostedCluster/clusters/shop.eu", "warning: HostedCluster/clusters/bank"],
    });
  });

  test("When a control plane of 5.1 looks up its release, the flag should rename that as well", async () => {
    const image = `${release}:4.20.4-multi`;
    const lookedUp = async (...args: readonly string[]) => {
      const flag = ["--registry-overrides", `${release}=r.lan/rel`];
      const { stdout } = await hosted("explain", image, "shop.eu", ...args, ...flag, "-o", "json");
      return JSON.parse(stdout).candidates.at(-1).reference;
    };
    expect(await lookedUp()).toBe(image);
    expect(await lookedUp("--release-version", "5.0.9")).toBe(image);
    expect(await lookedUp("--release-version", "5.1.0")).toBe("r.lan/rel:4.20.4-multi");
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
    const { stdout, exitCode } = await explain(`quay.io/team/app@${digest}`);
    expect([stdout, exitCode]).toEqual([
      `quay.io/team/app@${digest} on nodes of blue
  first      m.lan/team/app@${digest}    mirror
  not tried  quay.io/team/app@${digest}  the image itself; blocked by quay.io/team
Not read: ConfigMap gone of spec.config, which may have other mirrors.
`,
      0,
    ]);
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

  test("When HyperShift looks up a release, it should match the text anywhere", async () => {
    const args = ["hosted", "explain", `${release}:4.20.4-multi`, "-o", "json", "-f", "-"];
    const { stdout } = await hubrelay(args, { stdin: ofHypershift });
    expect(JSON.parse(stdout).candidates).toMatchObject([
      { reference: "m2.example.com/x/ocp-release:4.20.4-multi", taken: true },
      { reference: "m1.example.com/x/ocp-release:4.20.4-multi" },
      { reference: "m3.example.com/a/b:4.20.4-multi" },
      { reference: `${release}:4.20.4-multi`, source: null },
    ]);
  });

  test("When registries do not respond, it should report that for each, and for the release", async () => {
    // Nothing listens on these ports, and without catalogs no other registry is read.
    const stdin = manifests
      .replace("source: docker.io", "source: 127.0.0.1:3")
      .replace("m1.example.com/hub", "127.0.0.1:1/hub")
      .replaceAll(release, "127.0.0.1:2/release")
      .replaceAll('-multi"}}', '-multi"}, configuration: {operatorhub: {disableAllDefaultSources: true}}}');
    const run = (...args: readonly string[]) =>
      hubrelay(["hosted", ...args, "--check", "-f", "-"], { stdin });
    const { stdout } = await run("explain", `127.0.0.1:3/ns/app@${digest}`, "-o", "json");
    expect(JSON.parse(stdout).candidates[0]).toMatchObject({
      reference: `127.0.0.1:1/hub/ns/app@${digest}`,
      taken: false,
      reason: expect.stringContaining("cannot be reached"),
    });
    const { stderr, exitCode } = await run("shop.eu");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("The release image cannot be read: 127.0.0.1:2/release:4.20.4-multi");
  });

  test.for([
    { args: ["quay.io/ns/app:1", "--pull-secret", "x"], reported: "--pull-secret needs --check." },
    { args: ["quay.io/ns/app:1", "--check", "--pull-secret", "/nowhere"], reported: "cannot be read" },
    { args: ["nginx"], reported: "is not an image name with a host" },
    {
      args: ["quay.io/ns/app:1", "--release-version", "new"],
      reported: "'new' is invalid. It must be a version",
    },
    { args: ["quay.io/ns/app:1", "nobody"], reported: "no such HostedCluster: nobody" },
    {
      args: ["quay.io/ns/app:1", "--registry-overrides", "a"],
      reported: 'invalid argument "a" for "--registry-overrides" flag: a must be formatted as key=value',
    },
  ])("When the usage is wrong ($args), it should exit 2 and report the error", async ({ args, reported }) => {
    const { stdout, stderr, exitCode } = await hosted("explain", ...args);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(reported);
  });
});
