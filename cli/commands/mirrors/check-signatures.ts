import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { CostReport, Side } from "#shared/domain/diff/compare-sides.ts";
import type { PolicyChange } from "#shared/domain/diff/policy-change.ts";
import { changedSigning, imagesInUse, signatureChange } from "#shared/domain/diff/signature-changes.ts";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { byCodeUnit, withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { ImageRoute } from "#shared/domain/ready/locations.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import { checkImages } from "#shared/registry/ready/check-images.ts";
import { withoutUnresponsive } from "#shared/registry/run-limits.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { nodeAccess } from "../../io/node-access.ts";

/** The changes for images in use, and what could not be read or checked. */
export type SignatureChanges = Readonly<{
  changes: readonly PolicyChange[];
  issues: readonly Issue[];
  unread: readonly Unread[];
}>;

/**
 * Asks registries which images of Pods and of objects of both sides nodes pull on one side only, because of the
 * signatures that a side requires. With `isLive`, a side is the hub, whose Pods and logins are read.
 */
export async function checkSignatures(
  { pools }: Pick<CostReport, "pools">,
  before: Side,
  after: Side,
  { isLive, pullSecret }: Readonly<{ isLive: boolean; pullSecret: string | undefined }>,
): Promise<SignatureChanges> {
  const objects = [...before.objects, ...after.objects];
  const read = async (hub: HubReader) => ({
    pods: await ifPermitted(hub.list(kinds.Pod)),
    ...(await nodeAccess(hub, undefined, pullSecret)),
  });
  const { pods, access, issues } = await (isLive ? onLiveHub(read) : read(manifestHub("manifests", objects)));
  const images = imagesInUse([...objects, ...(pods.found ?? [])]);
  const pairs = withoutRepeats(
    pools.flatMap(({ name }) => changedSigning(images, before.filesOf(name), after.filesOf(name))),
  );
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const contents = withoutUnresponsive(client);
  const check = async (routes: readonly ImageRoute[]) => {
    const asking = { contents, access, architectures: ["amd64"], depth: "manifests" } as const;
    const { images: judged, located } = await checkImages(routes, asking);
    return judged.map((image, index) => {
      const { response } = located[index] ?? {};
      return { image, signatures: response?.result === "found" ? response.signatures : undefined };
    });
  };
  try {
    const was = await check(pairs.map((pair) => pair.before));
    const is = await check(pairs.map((pair) => pair.after));
    const changes = pairs.flatMap((pair, index) => {
      const [old, now] = [was[index], is[index]];
      return (old && now && signatureChange(pair, old, now)) ?? [];
    });
    return {
      changes: withoutRepeats(changes).toSorted((a, b) => byCodeUnit(a.text, b.text)),
      issues,
      unread: pods.isPermitted ? [] : [{ what: "Pod", why: "permission", count: 1 }],
    };
  } finally {
    client.close();
  }
}
