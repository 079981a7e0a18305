import { type Hub, HubError } from "#shared/ports/hub.ts";
import { inEnvironment } from "../program/environment-errors.ts";
import { UsageError } from "../program/exit-codes.ts";
import { liveHubEnvironment } from "../program/hub-location.ts";
import { type HubObjects, type ReadFromHub, readHub } from "./hub-objects.ts";

type OpenHub = Hub & Readonly<{ close(): void }>;

/** Opens the live hub, which the caller must close. */
export async function openLiveHub(): Promise<OpenHub> {
  const { openHub } = await import("#shared/adapters/hub/open-hub.ts");
  return openHub(liveHubEnvironment());
}

/** The connection that calls inside `onOneConnection` share, if any. A process runs one command at a time. */
let kept: { hub?: OpenHub } | undefined;

/** Calls `run`. All uses of the live hub inside `run` share one connection, which is closed at the end. */
export async function onOneConnection<Result>(run: () => Promise<Result>): Promise<Result> {
  kept = {};
  try {
    return await run();
  } finally {
    kept.hub?.close();
    kept = undefined;
  }
}

async function openOnce(): Promise<OpenHub> {
  const hub = kept?.hub ?? (await openLiveHub());
  if (kept) kept.hub = hub;
  return hub;
}

/** Calls `use` with the live hub. Throws `UsageError` if the hub cannot be reached or denies access. */
export function onLiveHub<Result>(use: (hub: Hub) => Promise<Result>): Promise<Result> {
  return inEnvironment(async () => {
    const hub = await openOnce();
    try {
      return await use(hub);
    } catch (error) {
      if (error instanceof HubError) throw new UsageError(`${hub.id}: ${error.message}`);
      throw error;
    } finally {
      if (kept?.hub !== hub) hub.close();
    }
  });
}

/** Calls `readHub` on the live hub. */
export function readLiveHub(...read: ReadFromHub): Promise<HubObjects> {
  return onLiveHub((hub) => readHub(hub, ...read));
}
