import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { hubContract } from "./hub.contract.ts";

hubContract("a directory", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hubrelay-hub-"));
  const hub = openDirectoryHub(directory);
  return {
    hub,
    async close() {
      hub.close();
      await rm(directory, { recursive: true });
    },
  };
});

hubContract("memory", async () => ({
  hub: memoryHub({ id: "urn:test:hub", now: () => new Date() }),
  close: async () => undefined,
}));
