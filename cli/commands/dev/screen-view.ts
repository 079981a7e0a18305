import { kinds } from "#shared/domain/kubernetes/object.ts";
import {
  type CheckedFleet,
  checkedFleets,
  fleetKinds,
} from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { liveScreen } from "../../io/live-screen.ts";
import { devState } from "../../screen/dev-state.ts";
import { screenLines } from "../../screen/screen.ts";
import { type DevView, hubrelayHere, nextCommands } from "./dev-view.ts";

/** The minimum pause between two reads of the fleets. It is longer after a slow read. */
const readMs = 1_000;

async function readFleets(hub: Hub): Promise<readonly CheckedFleet[]> {
  const lists = await Promise.all(fleetKinds.map(async (kind) => [kind, await hub.list(kind)] as const));
  const found = new Map(lists);
  return checkedFleets(
    found.get(kinds.ClusterGroupUpgrade) ?? [],
    (kind) => found.get(kind) ?? [],
    new Date(),
  );
}

/** Returns the view of `hubrelay dev` that redraws one screen. */
export function screenView(stream: NodeJS.WriteStream): DevView {
  let fleets: readonly CheckedFleet[] = [];
  let watched = "";
  let command = "";
  let hints: readonly string[] = ["Starting …"];
  let reading: NodeJS.Timeout | undefined;
  let isOver = false;
  const state = devState(() => new Date());
  const screen = liveScreen(stream, (size) =>
    screenLines({ now: new Date(), watched, command, hints, fleets, ...state.state() }, size),
  );

  async function readAgain(hub: Hub): Promise<void> {
    const began = performance.now();
    // If the folder cannot be read, the log has the reason, and the screen shows the fleets of the last read.
    fleets = await readFleets(hub).catch(() => fleets);
    const pause = Math.max(readMs, 20 * (performance.now() - began));
    if (!isOver) reading = setTimeout(readAgain, pause, hub);
  }
  function stop(): void {
    isOver = true;
    clearTimeout(reading);
  }
  function show(texts: readonly string[]): void {
    hints = texts;
    screen.draw();
  }

  return {
    prepared(name, folder) {
      watched = name;
      command = hubrelayHere(folder);
      show(["The objects in the folder are read for the first time."]);
    },
    opened(hub, fileOf) {
      state.opened(fileOf);
      void readAgain(hub);
    },
    log: state.log,
    planned: state.planned,
    firstRoundDone: (_summary, texts) => show(texts),
    ending: () => show(["Ending: the messages that are being handled are finished first."]),
    end() {
      stop();
      hints = ["On your own hub:", ...nextCommands().map((one) => `  ${one}`), "Ended."];
      screen.end();
    },
    clear() {
      stop();
      screen.clear();
    },
  };
}
