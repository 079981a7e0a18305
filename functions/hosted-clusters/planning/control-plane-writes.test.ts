import { describe, expect, test } from "vitest";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  anImageStream,
  annotated,
  aSnapshot,
  cluster,
  inRelease,
  namespace,
  stored,
  withAnnotations,
  withControlPlane,
  written,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { sources } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { decide } from "../decide.ts";
import { withOverridesText } from "./desired.ts";

describe("the content of writes", () => {
  test("When the control plane gets objects, it should own them, so that they go with it", () => {
    const hub = aSnapshot({ hostedCluster: cluster({ imageContentSources: sources }) });
    const ownerReferences = [
      {
        apiVersion: "hypershift.openshift.io/v1beta1",
        kind: "HostedControlPlane",
        name: "shop",
        uid: "uid-of-shop",
        controller: true,
      },
    ];
    for (const kind of ["ImageStream", "ConfigMap"])
      expect(written(hub, kind).object.metadata).toMatchObject({ namespace, ownerReferences });
    const adopted = written(withControlPlane(hub, { imageStream: anImageStream() }), "ImageStream");
    expect(adopted.object.metadata).toMatchObject({
      ownerReferences,
      labels: { own: "x" },
      resourceVersion: "3",
    });
    expect(adopted.object.spec).toMatchObject({ lookupPolicy: { local: true } });
  });

  test("When fields are copied, other annotations and fields should stay", () => {
    const present = withAnnotations(aHostedControlPlane("shop", { own: "x", imageContentSources: sources }), {
      own: "x",
      "hypershift.openshift.io/redhat-operators-catalog-image": "old",
    });
    const named = {
      "hypershift.openshift.io/certified-operators-catalog-image": `m.example/c@sha256:${"a".repeat(64)}`,
    };
    const hub = withControlPlane(aSnapshot({ hostedCluster: annotated(named) }), {
      hostedControlPlane: present,
    });
    const { metadata, spec } = written(hub, "HostedControlPlane").object;
    expect(metadata.annotations).toMatchObject({ own: "x", ...named });
    expect(metadata.annotations).not.toHaveProperty([
      "hypershift.openshift.io/redhat-operators-catalog-image",
    ]);
    expect(spec).toMatchObject({ own: "x" });
    expect(spec).not.toHaveProperty("imageContentSources");
  });

  test("When overrides are written, other containers and variables should stay", () => {
    const operator = aControlPlaneOperator("shop", "quay.io=old.example");
    const template = {
      spec: { containers: [...Object(operator.spec).template.spec.containers, { name: "other" }] },
    };
    const hub = aSnapshot({ mirrorObjects: inRelease });
    const changed = written(
      withControlPlane(hub, { operator: { ...operator, spec: { replicas: 2, template } } }),
      "Deployment",
    );
    const { replicas, template: after } = Object(changed.object.spec);
    expect(replicas).toBe(2);
    expect(after.spec.containers).toMatchObject([
      {
        name: "control-plane-operator",
        env: [
          { name: "POD_NAME", value: "x" },
          {
            name: "OPENSHIFT_IMG_OVERRIDES",
            value: "quay.io/openshift-release-dev/ocp-release=mirror.corp.example:5000/ocp/release",
          },
        ],
      },
      { name: "other" },
    ]);
  });

  test("When an immutable field differs, it should be an error, and the field should stay", () => {
    const hostedCluster = cluster({ capabilities: { disabled: ["Console"] } });
    const present = stored(aHostedControlPlane("shop", { capabilities: { disabled: ["Insights"] } }));
    const plan = decide(withControlPlane(aSnapshot({ hostedCluster }), { hostedControlPlane: present }));
    expect(plan.issues).toContainEqual(
      expect.objectContaining({
        code: "ControlPlaneImmutable",
        severity: "error",
        path: "spec.capabilities",
        value: { disabled: ["Console"] },
      }),
    );
    expect(plan.actions.filter(({ object }) => object.kind === "HostedControlPlane")).toEqual([]);
  });

  test("When the control plane lacks a field, it should be copied even if it is immutable", () => {
    const hostedCluster = cluster({ capabilities: { disabled: ["Console"] }, olmCatalogPlacement: "guest" });
    const bare = stored(
      aHostedControlPlane("shop", { capabilities: undefined, olmCatalogPlacement: undefined }),
    );
    const hub = withControlPlane(aSnapshot({ hostedCluster }), { hostedControlPlane: bare });
    expect(written(hub, "HostedControlPlane").object.spec).toMatchObject({
      capabilities: { disabled: ["Console"] },
      olmCatalogPlacement: "guest",
    });
    expect(decide(hub).issues.map(({ code }) => code)).not.toContain("ControlPlaneImmutable");
  });
});

test("When the operator has its overrides before other variables, or none where none apply, it should stay as it is", () => {
  const withEnv = (...env: readonly object[]) => {
    const operator = aControlPlaneOperator();
    const spec = { template: { spec: { containers: [{ name: "operator", env }] } } };
    return { ...operator, spec };
  };
  const other = { name: "A", value: "1" };
  const present = withEnv({ name: "OPENSHIFT_IMG_OVERRIDES", value: "a=b" }, other);
  expect(withOverridesText(present, "a=b")).toBe(present);
  const without = withEnv(other);
  expect(withOverridesText(without, "=")).toBe(without);
});
