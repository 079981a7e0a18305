import { setup } from "./setup.ts";

// For `.ci/run`, which builds the programs beside other tiers.
await setup();
