import type { TestProject } from "vitest/node";
import { builtPodman } from "./node/podman.ts";
import { setup as setupForPulls } from "./setup.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the nodes' podman; undefined means the machine's. */
    podman: string | undefined;
  }
}

/** Does the setup of all tests that pull, and builds the podman that they pull with. */
export async function setup(project: TestProject): Promise<void> {
  await setupForPulls();
  project.provide("podman", await builtPodman());
}
