import { describe, expect, test } from "vitest";
import { hubrelay } from "./cli-in-process.ts";

const manifests = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: acme}
spec:
  imageDigestMirrors:
  - source: quay.io/ns
    mirrors: [m.example.com/ns, n.example.com/ns]
    mirrorSourcePolicy: NeverContactSource
---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: other}
spec:
  imageDigestMirrors:
  - source: quay.io/ns
    mirrors: [n.example.com/ns, m.example.com/ns]
    mirrorSourcePolicy: NeverContactSource
---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata: {name: acme}
spec:
  imageTagMirrors:
  - source: docker.io/library
    mirrors: [m.example.com/library]
---
apiVersion: config.openshift.io/v1
kind: Image
metadata: {name: cluster}
spec:
  registrySources:
    insecureRegistries: [m.example.com]
`;
const digest = `sha256:${"d".repeat(64)}`;

const explain = (image: string, ...args: readonly string[]) =>
  hubrelay(["explain", image, "-f", "-", ...args], { stdin: manifests });

describe("hubrelay explain", () => {
  test("When an image is explained as JSON, it should contain the entry, the places in order and the policy", async () => {
    const { stdout, exitCode } = await explain(`quay.io/ns/app@${digest}`, "-o", "json");
    expect(exitCode).toBe(0);
    const { image, resolvedBy, names, verdict } = JSON.parse(stdout);
    expect(verdict).toEqual({ pullable: true, text: expect.stringContaining("if that fails, from") });
    expect({ image, resolvedBy }).toEqual({ image: `quay.io/ns/app@${digest}`, resolvedBy: "itself" });
    expect(names).toMatchObject([
      {
        image: `quay.io/ns/app@${digest}`,
        entry: { location: "quay.io/ns", blocked: true },
        candidates: [
          { reference: `m.example.com/ns/app@${digest}`, taken: true, reason: null, insecure: true },
          { reference: `n.example.com/ns/app@${digest}`, taken: true, reason: null, insecure: false },
          { reference: `quay.io/ns/app@${digest}`, taken: false, reason: "blocked", blockedBy: "quay.io/ns" },
        ],
        policy: { file: "/etc/containers/policy.json", section: "default", verdict: "accept" },
      },
    ]);
  });
});

describe("hubrelay explain --without", () => {
  const image = `quay.io/ns/app@${digest}`;

  test("When the first mirror is down, the next one should be used, and the wait for the first be reported", async () => {
    const { stdout, exitCode } = await explain(image, "--without", "m.example.com", "-o", "json");
    const { outage, names } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(names[0].candidates[0]).toMatchObject({ taken: false, reason: "down" });
    expect(outage).toEqual({
      without: ["m.example.com"],
      text: expect.stringMatching(/^Without m\.example\.com nodes pull 1 image from n\.example\.com, slower/),
      images: [{ image, from: `n.example.com/ns/app@${digest}` }],
    });
    expect(outage.text).toContain("up to 30 s for a connection");
  });

  test("When every location is down, no node should be able to pull the image", async () => {
    const down = ["--without", "m.example.com/ns", "--without", "n.example.com"];
    const { stdout, exitCode } = await explain(image, ...down);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("it has no location outside m.example.com and n.example.com");
    expect(stdout).toContain("Without m.example.com/ns and n.example.com nodes pull 1 image from nowhere.");
    expect(stdout).toContain("assumed to be down (--without)");
  });

  test.for(["n.example.com", "m.example.com/other"])(
    "When %s is down, which nodes do not ask first, nothing should change",
    async (scope) => {
      const { stdout, exitCode } = await explain(image, "--without", scope);
      expect({ exitCode, stdout }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining("nodes pull 1 image as before."),
      });
    },
  );

  test.for(["https://m.example.com", "m.example.com/ns:v1", ""])(
    "When %j is no registry, the command should refuse it",
    async (scope) => {
      expect((await explain(image, "--without", scope)).exitCode).toBe(2);
    },
  );
});

describe("hubrelay render --explain", () => {
  const render = (...args: readonly string[]) =>
    hubrelay(["render", "-f", "-", ...args], { stdin: manifests });

  test("When one source is explained, it should report who lists its mirrors", async () => {
    const { stdout, exitCode } = await render("--explain", "quay.io/ns");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`quay.io/ns
  1. m.example.com/ns for pulls by digest
     listed by    ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].mirrors[0]
                  ImageDigestMirrorSet/other spec.imageDigestMirrors[0].mirrors[1]
     no TLS by    Image/cluster spec.registrySources.insecureRegistries[0]
  2. n.example.com/ns for pulls by digest
     listed by    ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].mirrors[1]
                  ImageDigestMirrorSet/other spec.imageDigestMirrors[0].mirrors[0]
  then nothing: the source is blocked
     blocked by   ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].mirrorSourcePolicy
                  ImageDigestMirrorSet/other spec.imageDigestMirrors[0].mirrorSourcePolicy
`);
  });
});

describe("the coverage of hubrelay explain", () => {
  const cluster = `${manifests}---
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status:
  desired: {version: 4.20.4, image: "quay.io/openshift-release-dev/ocp-release@${digest}"}
  history: [{state: Completed, version: 4.20.4}]
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 99-worker-ssh, labels: {machineconfiguration.openshift.io/role: worker}}
---
apiVersion: v1
kind: Namespace
metadata: {name: apps}
`;
  const informing = `---
apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: {name: mirrors, namespace: policies}
spec:
  remediationAction: inform
  policy-templates:
  - objectDefinition:
      kind: ConfigurationPolicy
      spec: {object-templates: [{complianceType: musthave, objectDefinition: {kind: ImageTagMirrorSet}}]}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: site}
`;
  const explained = (stdin: string, ...args: readonly string[]) =>
    hubrelay(["explain", "docker.io/alpine", "-f", "-", ...args], { stdin });

  test("When something was not read, the last line should name it, and it should be an error where all is required", async () => {
    const line =
      "Not read: Application: other kinds; Policy/policies/mirrors: its policy does not enforce it.";
    const { stdout, exitCode } = await explained(cluster + informing);
    expect({ last: stdout.split("\n").slice(-3), exitCode }).toEqual({ last: ["", line, ""], exitCode: 0 });
    const required = await explained(cluster + informing, "--require-coverage");
    expect(required.stderr).toMatch(/^error: Coverage\/input: Not read: .* \[NotCovered\]\n {4}Fix: /m);
    expect(required).toMatchObject({ stdout, exitCode: 1 });
  });
});
