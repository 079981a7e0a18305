import { expect, test } from "vitest";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { maintenanceWindowWatches } from "./watches.ts";

const [watch] = maintenanceWindowWatches.watches;
const fingerprintOf = (generation: number, status?: unknown) => {
  const { metadata, ...window } = windowObject();
  return watch?.fingerprint?.({ ...window, metadata: { ...metadata, generation }, status });
};

test("When the function writes the status of a window, it should not be a change for it; a new schedule should be one", () => {
  expect(fingerprintOf(1, { open: true, waiting: 3 })).toBe(fingerprintOf(1));
  expect(fingerprintOf(2)).not.toBe(fingerprintOf(1));
});
