import { describe, expect, test } from "vitest";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { hubReads } from "./hub-reads.contract.ts";
import { aMirrorSet, currentHub, type HubUnderTest } from "./hub-under-test.ts";
import { hubWatch } from "./hub-watch.contract.ts";
import { hubWrites } from "./hub-writes.contract.ts";

/** The contract of every hub: a Kubernetes API, a directory of manifests and a hub in memory alike. */
export function hubContract(name: string, open: () => Promise<HubUnderTest>): void {
  describe(`hub on ${name}`, () => {
    const current = currentHub(open);
    hubReads(current);
    hubWrites(current);
    hubWatch(current);

    describe("errors", () => {
      test("When a request fails, its message should name verb and object and contain no content", async () => {
        const created = await current.hub.create(
          aMirrorSet(current.mine, "secret.example.com", { annotations: { token: "hush" } }),
        );
        await current.hub.update({ ...created, spec: aMirrorSet(current.mine, "other.example.com").spec });
        const requests: readonly [string, () => Promise<unknown>][] = [
          ["create", () => current.hub.create(aMirrorSet(current.mine, "secret.example.com"))],
          ["update", () => current.hub.update(created)],
          ["update", () => current.hub.updateStatus(created)],
          ["delete", () => current.hub.delete(referenceTo(created))],
        ];
        for (const [verb, request] of requests) {
          const error: unknown = await request().then(
            () => undefined,
            (reason: unknown) => reason,
          );
          expect(error).toBeInstanceOf(HubError);
          if (!(error instanceof HubError)) continue;
          expect(error.message).toContain(verb);
          expect(error.message).toContain(`ImageDigestMirrorSet/${current.mine}`);
          expect(error.message).not.toMatch(/secret|hush|other\.example/);
        }
      });
    });
  });
}
