import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../../cli/simulation/fates.ts";
import type { Wire } from "../servers/wire.ts";
import type { Victim } from "./kept-process.ts";

const maxMs = 1_000;

/** The connection of processes to a server, which breaks, or transfers nothing, for up to a second. */
export function breakableConnection(name: string, wire: Wire): Victim {
  const random = seededRandom(1);
  return {
    name,
    running: async () => undefined,
    async kill() {
      const [fail, end] = random() < 0.5 ? [wire.cut, wire.restore] : [wire.stall, wire.release];
      fail();
      await sleep(maxMs * random());
      end();
    },
  };
}
