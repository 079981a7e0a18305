import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { defineReaction } from "#shared/runtime/reaction.ts";
import { observeBareWorks, passOnBareWorks, type WorksSnapshot } from "./bare-works.ts";
import { decide } from "./decide.ts";
import { precacheStatusInterest, worksKey } from "./interest.ts";
import { observe, type Snapshot } from "./observe.ts";

/** What agents report → the status of ClusterGroupUpgrades, their reports, and what single clusters need next. */
export const precacheStatus = defineReaction<Snapshot | WorksSnapshot>({
  ...precacheStatusInterest,
  observe: (hub, key, now, beyond, hints) =>
    key === worksKey ? observeBareWorks(hub, hints) : observe(hub, key, now, beyond, hints),
  isAbout: ({ reference }, object) =>
    isKind(kinds.ManifestWork, object) && object.metadata.namespace === reference.namespace,
  decide: (snapshot) => ("about" in snapshot ? passOnBareWorks(snapshot) : decide(snapshot)),
});
