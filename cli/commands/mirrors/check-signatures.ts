import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { CostReport, Side } from "#shared/domain/diff/compare-sides.ts";
import { imagesInUse, newlySigned } from "#shared/domain/diff/newly-signed.ts";
import type { PolicyChange } from "#shared/domain/diff/policy-change.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { JudgedImage } from "#shared/domain/ready/judge.ts";
import { imageRoutes } from "#shared/domain/ready/locations.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type CheckedImages, checkImages } from "#shared/registry/ready/check-images.ts";
import { withoutUnresponsive } from "#shared/registry/run-limits.ts";
import { nodeAccess } from "../../io/node-access.ts";

/** Returns the change for an image that nodes no longer pull, or perhaps no longer; none if its signature is valid. */
function changeOf(
  { image, status, from, tried }: JudgedImage,
  { located }: CheckedImages,
): readonly PolicyChange[] {
  const response = located.get(from ?? "")?.response;
  const state = response?.result === "found" ? response.signatures?.state : undefined;
  if (state === "valid") return [];
  const reason = tried.findLast(({ result }) => result !== "skipped")?.detail ?? status;
  const isRefused = status === "unsigned";
  const text = isRefused
    ? sentence`${image} is no longer pulled: ${reason}`
    : sentence`${image}: unknown whether it is still pulled, since ${reason}`;
  return [
    {
      path: nodePaths.policy,
      scope: image,
      before: "accept",
      after: isRefused ? "reject" : "signature",
      effect: isRefused ? "stricter" : "other",
      text,
    },
  ];
}

/**
 * Verifies in the registries, for every pool, the images that objects of both sides name and that need another signature on the
 * new side. Returns a change for each image that nodes no longer pull, or for which that is not known.
 */
export async function checkSignatures(
  { pools }: CostReport,
  before: Side,
  after: Side,
  pullSecret: string | undefined,
): Promise<Readonly<{ changes: readonly PolicyChange[]; issues: readonly Issue[] }>> {
  const images = imagesInUse([...before.objects, ...after.objects]);
  const { access, issues } = await nodeAccess(
    manifestHub("the new side", after.objects),
    undefined,
    pullSecret,
  );
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const contents = withoutUnresponsive(client);
  const changes: PolicyChange[] = [];
  try {
    for (const { name } of pools) {
      const files = after.filesOf(name);
      const routeOf = imageRoutes(files);
      const routes = newlySigned(images, before.filesOf(name), files).flatMap((image) => {
        const route = routeOf(image);
        return "problem" in route ? [] : [route];
      });
      const asking = { contents, access, architectures: ["amd64"], depth: "manifests" } as const;
      const checked = await checkImages(routes, asking);
      changes.push(...checked.images.flatMap((one) => changeOf(one, checked)));
    }
  } finally {
    client.close();
  }
  return { changes: withoutRepeats(changes), issues };
}
