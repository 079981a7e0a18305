import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";

/**
 * Returns the ports of a function that has only this hub, whose clock is `now` as well: nothing is published, logged or read
 * from elsewhere.
 */
export function quietPorts(hub: Hub, now: () => Date = () => new Date()) {
  return {
    hub: { ...hub, time: now },
    external: noExternalPorts,
    outcomes: { publish: async () => undefined },
    log: () => undefined,
    now,
  };
}
