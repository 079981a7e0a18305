import { kinds } from "#shared/domain/kubernetes/object.ts";
import { withForecast } from "#shared/domain/precache/fleet/fleet-forecast.ts";
import { fleetStatus } from "#shared/domain/precache/fleet/fleet-status.ts";
import { type CheckedFleet, withReadiness } from "#shared/domain/ready/record/fleet-readiness.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { liveScreen } from "../../io/live-screen.ts";
import { devState } from "../../screen/dev-state.ts";
import { screenLines } from "../../screen/screen.ts";
import type { ViewedHub } from "../../screen/viewed-hub.ts";
import type { DevView } from "./dev-view.ts";
import { nextCommands } from "./next-commands.ts";

/** The fleets are read again after this time, or after twenty times what reading them takes. */
const readMs = 1_000;

async function readFleets(hub: Hub): Promise<readonly CheckedFleet[]> {
  const [cgus, reports, readiness, windows, configs, managedClusters, imageBasedUpgrades] = await Promise.all(
    [
      hub.list(kinds.ClusterGroupUpgrade),
      hub.list(kinds.PreCachingReport),
      hub.list(kinds.ReadinessReport),
      hub.list(kinds.MaintenanceWindow),
      hub.list(kinds.PreCachingConfig),
      hub.list(kinds.ManagedCluster),
      hub.list(kinds.ImageBasedGroupUpgrade),
    ],
  );
  const now = new Date();
  const sources = { windows, configs, managedClusters, imageBasedUpgrades };
  const fleets = cgus.flatMap((cgu) => {
    const status = fleetStatus(cgu, reports, now, sources);
    return status ? [withForecast(status, cgu, { ...sources, reports, upgrades: cgus }, now)] : [];
  });
  return fleets.map((fleet) => withReadiness(fleet, readiness, now));
}

/** Returns the view of `hubrelay dev` that draws a screen in place. */
export function screenView(stream: NodeJS.WriteStream): DevView {
  let viewed: ViewedHub | undefined;
  let fleets: readonly CheckedFleet[] = [];
  let watched = "";
  let hints: readonly string[] = ["Starting …"];
  let reading: NodeJS.Timeout | undefined;
  const state = devState({
    fileOf: (subject) => viewed?.fileOf(subject),
    readerOf: (queue) => viewed?.readerOf(queue),
    now: () => new Date(),
  });
  const screen = liveScreen(stream, (size, view) =>
    screenLines({ now: new Date(), watched, hints, fleets, view, ...state.state() }, size),
  );

  async function readAgain(): Promise<void> {
    if (!viewed) return;
    const began = performance.now();
    // While the folder cannot be read its watch says why, and what was read last is shown.
    fleets = await readFleets(viewed.hub).catch(() => fleets);
    const pause = Math.max(readMs, 20 * (performance.now() - began));
    if (viewed) reading = setTimeout(readAgain, pause);
  }
  function stop(): void {
    viewed = undefined;
    clearTimeout(reading);
  }

  return {
    prepared(_text, name) {
      watched = name;
      hints = ["The objects in the folder are read for the first time."];
      screen.draw();
    },
    opened(hub) {
      viewed = hub;
      void readAgain();
    },
    logOf: (name) => (entry) => state.log(name, entry),
    planned: state.plan,
    fileIssue: state.fileIssue,
    fileFixed: state.fileFixed,
    firstRoundDone(_summary, texts) {
      hints = texts;
    },
    ending() {
      hints = ["Ending: the messages that are being handled are finished first."];
      screen.draw();
    },
    end() {
      stop();
      hints = ["On your own hub:", ...nextCommands.map((command) => `  ${command}`), "Ended."];
      screen.end();
    },
    clear() {
      stop();
      screen.clear();
    },
  };
}
