import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { hostedClustersWatches } from "./watches.ts";

/** Keeps registry overrides, OLM catalogs and capabilities of HostedClusters in their desired state. */
export const hostedClusters = defineController({
  ...hostedClustersWatches,
  observe,
  decide,
});
