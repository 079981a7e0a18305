import { setup } from "./setup.ts";

// For `.ci/run`, which builds the servers beside other tiers.
await setup();
