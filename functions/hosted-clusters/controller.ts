import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { hostedClustersWatches } from "./watches.ts";

/** The controller of registry overrides, OLM catalogs and capabilities of HostedClusters. */
export const hostedClusters = defineController({
  ...hostedClustersWatches,
  observe,
  decide,
});
