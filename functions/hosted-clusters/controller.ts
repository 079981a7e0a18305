import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { hostedClustersWatches } from "./watches.ts";

/** HostedClusters and the management cluster's mirrors → registry overrides, OLM catalogs and capabilities of each. */
export const hostedClusters = defineController({
  ...hostedClustersWatches,
  observe,
  decide,
});
