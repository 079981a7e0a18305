import { describe, expect, onTestFinished, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import {
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  inMemory,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aPublisher, mirrorSets, tagged } from "../../test/support/messages/foreign-publisher.ts";

describe("a release that cannot be read because trust is missing", () => {
  const image: KubernetesObject = {
    apiVersion: kinds.Image.apiVersion,
    kind: kinds.Image.kind,
    metadata: { name: "cluster" },
    spec: { additionalTrustedCA: { name: "registries" } },
  };
  /** A hub whose account has no permission to read in `openshift-config` until it is `allowed`. */
  async function aGuardedShop() {
    const hostedCluster = aHostedCluster({
      spec: {
        release: { image: tagged },
        configuration: { operatorhub: { disableAllDefaultSources: true } },
      },
    });
    const apis = inMemory(
      [hostedCluster, ...controlPlaneOf(hostedCluster), ...mirrorSets(), image],
      [guestClusterVersion()],
    );
    const allowed = { value: false };
    const get: typeof apis.hub.get = async (kind, name, namespace) => {
      if (namespace === "openshift-config" && !allowed.value)
        throw new HubError("Forbidden", `get ${name}: forbidden`);
      return apis.hub.get(kind, name, namespace);
    };
    const publisher = aPublisher();
    const shop = aWorldOf({ ...apis, hub: { ...apis.hub, get } }, publisher.registry);
    onTestFinished(() => shop.close());
    const reported = async () => {
      await shop.settle("clusters/shop");
      const events = await shop.hub.list(kinds.Event, { namespace: "clusters" });
      return new Map(events.map(({ reason, message }) => [String(reason), String(message)]));
    };
    return { reported, allowed, publisher };
  }

  test("When reading the authorities of registries is forbidden, it should report the commands that permit it, until it is permitted", async () => {
    const { reported, allowed, publisher } = await aGuardedShop();
    publisher.state.isDown = true;
    const message = (await reported()).get("AuthoritiesForbidden") ?? "";
    expect(message).toContain("ConfigMap openshift-config/registries");
    expect(message).toContain(
      "oc create role hubrelay-registry-authorities -n openshift-config --verb get --resource configmaps --resource-name registries",
    );
    expect(message).toContain(
      "oc create rolebinding hubrelay-registry-authorities -n openshift-config --role hubrelay-registry-authorities --serviceaccount hubrelay:hubrelay-hosted-clusters",
    );
    allowed.value = true;
    expect((await reported()).has("AuthoritiesForbidden")).toBe(false);
  });
});
