import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { hubContract } from "./hub.contract.ts";

hubContract("memory", async () => ({
  hub: memoryHub({ id: "urn:test:hub", now: () => new Date() }),
  close: async () => undefined,
}));
