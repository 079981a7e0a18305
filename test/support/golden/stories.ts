import { hostedClustersStory } from "./stories/hosted-clusters.ts";
import { maintenanceWindowStory } from "./stories/maintenance-window.ts";
import { mirrorConfigStory } from "./stories/mirror-config.ts";
import { precacheClusterStory } from "./stories/precache-cluster.ts";
import { precachePlanStory } from "./stories/precache-plan.ts";
import { precacheReadyStory } from "./stories/precache-ready.ts";
import { precacheStatusStory } from "./stories/precache-status.ts";
import type { Story } from "./story.ts";

/** The story of each function that writes. */
export const stories: readonly Story[] = [
  mirrorConfigStory,
  hostedClustersStory,
  precachePlanStory,
  precacheReadyStory,
  precacheStatusStory,
  precacheClusterStory,
  maintenanceWindowStory,
];
