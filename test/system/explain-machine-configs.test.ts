import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hubrelay } from "./cli-in-process.ts";

const manifests = `apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata: {name: acme}
spec:
  imageTagMirrors:
  - source: docker.io/library
    mirrors: [m.example.com/library]
`;

describe("hubrelay explain with MachineConfigs", () => {
  const dropIn = `[[registry]]
location = "docker.io/library"
[[registry.mirror]]
location = "tags.example.com/library"
`;
  const machineConfig = (role: string, contents: string) => `---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 99-${role}-tags
  labels: {machineconfiguration.openshift.io/role: ${role}}
spec:
  config:
    ignition: {version: 3.4.0}
    storage:
      files:
      - path: /etc/containers/registries.conf.d/99-tags.conf
        contents: {${contents}}
`;
  const plain = `source: "data:,${encodeURIComponent(dropIn)}"`;
  const zipped = `source: "data:;base64,${gzipSync(dropIn).toString("base64")}", compression: gzip`;
  const explainWith = (stdin: string, ...args: readonly string[]) =>
    hubrelay(["explain", "docker.io/alpine", "-f", "-", ...args], { stdin });

  test.for([
    { name: "percent-encoded", contents: plain },
    { name: "with gzip in base64", contents: zipped },
  ])("When one writes a drop-in ($name), its entry should decide", async ({ contents }) => {
    const { stdout, exitCode } = await explainWith(manifests + machineConfig("worker", contents));
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      "entry docker.io/library of /etc/containers/registries.conf.d/99-tags.conf, which MachineConfig 99-worker-tags writes\n",
    );
    expect(stdout).toContain("1. tried  tags.example.com/library/alpine:latest  mirror\n");
    expect(stdout).toMatch(/^Nodes of pool worker pull docker\.io\/alpine from tags\.example\.com/);
    expect(stdout).toContain("  other pools differ: master (explain them with --pool)\n");
  });
});
