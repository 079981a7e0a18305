import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { quietPorts } from "../messages/quiet-ports.ts";
import { contentOf, sourcesOf } from "./hub-content.ts";
import type { HubUnderTest } from "./kill-run.ts";

async function aHub(stack: AsyncDisposableStack, items: readonly KubernetesObject[]) {
  const { path: directory } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-kills-")));
  await writeFile(join(directory, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const hub = stack.adopt(openDirectoryHub(directory, { id: "urn:test:hub" }), (opened) => opened.close());
  return { directory, hub };
}

/** A directory as the hub, with these objects at the start; the clean run has a directory of its own. */
export async function directoryUnderTest(
  stack: AsyncDisposableStack,
  objects: readonly KubernetesObject[],
): Promise<HubUnderTest> {
  const { directory, hub } = await aHub(stack, objects);
  const setting = `directory:${directory}`;
  return {
    hub,
    settings: { forward: setting, work: setting, resync: setting },
    victims: () => [],
    async cleanRun() {
      const { hub: clean } = await aHub(stack, await sourcesOf(hub));
      const ports = quietPorts(clean);
      await reconcile(mirrorConfig, "cluster", ports);
      return contentOf(clean);
    },
  };
}
