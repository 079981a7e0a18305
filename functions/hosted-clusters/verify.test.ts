import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { hypershiftFinalizer, type World } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { pair, rightVersion, verifyWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";

type Fields = Readonly<Record<string, unknown>>;

const verdicts = ({ decisions }: Awaited<ReturnType<World["deliver"]>>) =>
  Object.fromEntries(
    decisions.map(({ subject, verdict }) => [subject.replace("clusters/shop ", ""), verdict]),
  );

describe("under HyperShift", () => {
  const listed = { enabled: [], disabled: ["Insights"] };
  test.for<Readonly<{ name: string; spec: Fields; copied: Fields; mirrorSet: readonly object[] }>>([
    {
      name: "capabilities",
      spec: { capabilities: listed },
      copied: { capabilities: { disabled: ["Insights"] } },
      mirrorSet: [],
    },
    {
      name: "mirrors of a source",
      spec: { imageContentSources: [{ source: "quay.io/acme", mirrors: [] }] },
      copied: { imageContentSources: [{ source: "quay.io/acme" }] },
      mirrorSet: [{ source: "quay.io/acme" }],
    },
  ])(
    "When HyperShift's client omitted an empty list of $name, it should not report drift",
    async ({ spec, copied, mirrorSet }) => {
      const world = await verifyWorld({
        hostedCluster: aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer] }, spec }),
        fields: copied,
        guest: [
          rightVersion,
          { ...aDigestMirrorSet("cluster", []), spec: { imageDigestMirrors: mirrorSet } },
        ],
      });
      const found = verdicts(await world.settle("clusters/shop"));
      expect(found).toMatchObject({ ControlPlane: "in agreement", Guest: "in agreement" });
    },
  );

  test("When HyperShift has mirrors for others in a different order, it should report nothing", async () => {
    const world = await verifyWorld({ overrides: `docker.io=x.example,${pair}` });
    expect(verdicts(await world.settle("clusters/shop")).Overrides).toBe("in agreement");
  });
});
