import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { hostedClustersWatches } from "./watches.ts";

/** Reconciles registry overrides, OLM catalogs and capabilities of HostedClusters with the hub's mirrors. */
export const hostedClusters = defineController({
  ...hostedClustersWatches,
  observe,
  decide,
});
