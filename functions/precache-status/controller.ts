import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { mapManifestWorks, observeUnmappedWorks, type WorksSnapshot } from "./manifest-work-mapper.ts";
import { observe, type Snapshot } from "./observe.ts";
import { precacheStatusWatches, worksKey } from "./watches.ts";

/** Agent feedback → the status of ClusterGroupUpgrades, their reports, and hints for single clusters. */
export const precacheStatus = defineController<Snapshot | WorksSnapshot>({
  ...precacheStatusWatches,
  observe: (hub, key, now, external, hints) =>
    key === worksKey ? observeUnmappedWorks(hub, hints) : observe(hub, key, now, external, hints),
  isAbout: ({ reference }, object) =>
    isKind(kinds.ManifestWork, object) && object.metadata.namespace === reference.namespace,
  decide: (snapshot) => ("about" in snapshot ? mapManifestWorks(snapshot) : decide(snapshot)),
});
