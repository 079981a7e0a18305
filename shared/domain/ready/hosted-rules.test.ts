import { describe, expect, test } from "vitest";
import { configureMirrors } from "../mirrors/configuration.ts";
import { architecturesOfPools, findHostedCluster, nodeRulesOf } from "./hosted-rules.ts";
import { imageRoutes, mirrorHostsOf } from "./locations.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("nodeRulesOf", () => {
  const hosted = {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { namespace: "clusters", name: "shop" },
    spec: {
      release: { image: `quay.io/ocp/release@${digest}` },
      imageContentSources: [{ source: "quay.io/ocp", mirrors: ["m.lan/ocp"] }],
      configuration: { image: { registrySources: { insecureRegistries: ["m.lan"] } } },
    },
  };
  const pool = (arch: string | undefined, clusterName = "shop") => ({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "NodePool",
    metadata: { namespace: "clusters", name: `${clusterName}-${arch}` },
    spec: { clusterName, ...(arch === undefined ? {} : { arch }) },
  });

  test("When a hosted cluster has mirrors of its own, its nodes should use these, and no others", () => {
    const cluster = findHostedCluster(
      [{ ...hosted, kind: "HostedControlPlane", spec: {} }, hosted],
      "clusters/shop",
    );
    if (!cluster) throw new Error("not found");
    const { files, entries } = configureMirrors(nodeRulesOf(cluster));
    const route = imageRoutes(files, mirrorHostsOf(entries))(cluster.releaseImage);
    expect(route).toMatchObject({
      locations: [
        { reference: `m.lan/ocp/release@${digest}`, insecure: true },
        { reference: cluster.releaseImage, insecure: false },
      ],
    });
    expect(findHostedCluster([hosted], "clusters/other")).toBeUndefined();
    expect(architecturesOfPools([pool("arm64"), pool(undefined), pool("s390x", "other")], cluster)).toEqual([
      "amd64",
      "arm64",
    ]);
    expect(architecturesOfPools([], cluster)).toEqual(["amd64"]);
    // Neither another namespace's, nor another kind, nor what is no architecture.
    const elsewhere = { ...pool("ppc64le"), metadata: { namespace: "other", name: "shop" } };
    const others = [
      elsewhere,
      { ...pool("s390x"), kind: "MachinePool" },
      { ...pool("x"), spec: { clusterName: "shop", arch: 1 } },
    ];
    expect(architecturesOfPools(others, cluster)).toEqual(["amd64"]);
  });
});
