import type { Interest } from "#shared/shell/reaction.ts";
import { hostedClustersInterest } from "./hosted-clusters/interest.ts";
import { mirrorConfigInterest } from "./mirror-config/interest.ts";

/** What wakes every function of `reactions.ts`, without the functions themselves: what the resync tick serves. */
export const interests: readonly Interest[] = [mirrorConfigInterest, hostedClustersInterest];
