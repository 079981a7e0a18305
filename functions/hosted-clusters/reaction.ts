import { defineReaction } from "#shared/runtime/reaction.ts";
import { decide } from "./decide.ts";
import { hostedClustersInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** HostedClusters and the management cluster's mirrors → registry overrides, OLM catalogs and capabilities of each. */
export const hostedClusters = defineReaction({
  ...hostedClustersInterest,
  observe,
  decide,
});
