import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { guestHubs } from "#shared/adapters/hub/guests/guest-hubs.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { secret } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { validHostedClusterSpec } from "../support/hosted-clusters/hostile-changes.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { aGuestCluster, startHub, type TestCluster, type TestHub } from "./support/clusters/cluster.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { createClusterVersion } from "./support/manifests/control-plane.ts";

const key = "clusters/shop";
const namespace = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});
const sources = [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }];
const hostedCluster = (more: Readonly<Record<string, unknown>>): KubernetesObject => ({
  apiVersion: kinds.HostedCluster.apiVersion,
  kind: kinds.HostedCluster.kind,
  metadata: { name: "shop", namespace: "clusters", annotations: { "hubrelay.dev/take-over": "true" } },
  spec: {
    ...validHostedClusterSpec,
    imageContentSources: sources,
    // No registry is read here.
    configuration: { operatorhub: { disableAllDefaultSources: true } },
    ...more,
  },
});

describe("a hosted cluster whose guest is another API server", () => {
  let server: TestHub;
  let guestServer: TestCluster;
  let hub: KubernetesHub;
  let guest: KubernetesHub;
  const guests = guestHubs({ requestTimeoutMs: 1_000, cooldownMs: 600_000 });

  /** Reconciles until it writes nothing more. */
  async function settle(name = key, now = () => new Date()): Promise<Plan> {
    const ports = {
      ...quietPorts(hub, now),
      external: { ...noExternalPorts, guests },
      queueNamed: () => {
        throw new Error("nothing is sent here");
      },
    };
    for (;;) {
      const { plan } = await reconcile(hostedClusters, name, ports);
      if (plan.actions.length === 0) return plan;
    }
  }

  async function changeSpec(fields: Readonly<Record<string, unknown>>): Promise<void> {
    const present = await hub.get(kinds.HostedCluster, "shop", "clusters");
    if (!present) throw new Error("the hosted cluster of this test is gone");
    await hub.update({ ...present, spec: { ...Object(present.spec), ...fields } });
  }

  beforeAll(async () => {
    [server, guestServer] = await Promise.all([startHub(), aGuestCluster()]);
    hub = kubernetesHub(server.admin.kubeConfig);
    guest = kubernetesHub(guestServer.admin.kubeConfig);
    for (const name of ["clusters", "clusters-shop"]) await createManifest(server.api, namespace(name));
    const kubeconfig = await readFile(guestServer.admin.kubeConfigFile, "utf8");
    await hub.create(secret("clusters-shop", "admin-kubeconfig", { kubeconfig }));
    await createClusterVersion(guest);
    await hub.create(hostedCluster({ capabilities: { disabled: ["ImageRegistry"] } }));
  }, 240_000);
  afterAll(async () => {
    guests.close();
    hub?.close();
    guest?.close();
    await Promise.all([server?.stop(), guestServer?.stop()]);
  });

  test("When there is no other writer, its guest should get mirrors, OperatorHub and capabilities, once", async () => {
    const { decisions } = await settle();
    expect(decisions[0]?.reason).toContain("handed over by the annotation hubrelay.dev/take-over");
    expect((await guest.get(kinds.ImageDigestMirrorSet, "cluster"))?.spec).toEqual({
      imageDigestMirrors: sources,
    });
    expect((await guest.get(kinds.OperatorHub, "cluster"))?.spec).toEqual({ disableAllDefaultSources: true });
    const version = await guest.get(kinds.ClusterVersion, "version");
    const { baselineCapabilitySet, additionalEnabledCapabilities } = Object(version?.spec).capabilities;
    expect(baselineCapabilitySet).toBe("None");
    expect(additionalEnabledCapabilities).toContain("Console");
    expect(additionalEnabledCapabilities).not.toContain("ImageRegistry");
  });

  test("When the guest refuses a source that the hub accepts, it should say which, and the rest of the guest stay right", async () => {
    const wrong = [{ source: "quay.io/a b", mirrors: ["mirror.example.com/acme"] }];
    await changeSpec({ imageContentSources: wrong });
    const operatorHub = await guest.get(kinds.OperatorHub, "cluster");
    if (!operatorHub) throw new Error("it was written");
    await guest.update({ ...operatorHub, spec: {} });
    await settle();
    const events = (await hub.list(kinds.Event, { namespace: "clusters" })).map(
      ({ reason, message }) => `${reason}: ${message}`,
    );
    expect(events).toContainEqual(
      expect.stringMatching(/^InvalidSource: spec\.imageContentSources\[0\]\.source: invalid format /),
    );
    expect((await guest.get(kinds.OperatorHub, "cluster"))?.spec).toEqual({ disableAllDefaultSources: true });
    expect((await guest.get(kinds.ImageDigestMirrorSet, "cluster"))?.spec).toEqual({
      imageDigestMirrors: sources,
    });
    await changeSpec({ imageContentSources: sources });
    await settle();
  });

  test("When the guest freezes, the hub's part should continue, and only the first reconcile should wait", async () => {
    guestServer.freeze();
    try {
      await hub.create(
        asNew(
          aDigestMirrorSet("ocp", [
            {
              source: "quay.io/openshift-release-dev/ocp-release",
              mirrors: ["mirror.example.com/release"],
            },
          ]),
        ),
      );
      const { decisions } = await settle();
      expect(decisions[0]).toMatchObject({ verdict: "waiting" });
      const messages = (await hub.list(kinds.Event, { namespace: "clusters" })).map(({ message }) => message);
      expect(messages).toContainEqual(expect.stringMatching(/^1 source of the management cluster's mirrors/));
      // A request to the guest takes its whole time limit.
      const unanswered = guest.list(kinds.Image).catch(() => undefined);
      const first = Promise.race([settle().then(() => "settled"), unanswered.then(() => "timed out")]);
      expect(await first).toBe("settled");
      await unanswered;
    } finally {
      guestServer.thaw();
    }
  });
});
