// These reasons have their own file, so that watches do not import the code that decides about changes.

/** The change waits for a maintenance window. */
export const waitsForWindow = "ChangeWaitsForWindow";
/** No maintenance window allows the change. */
export const changeHeld = "ChangeHeld";

/** The reasons of all Kubernetes Events about held changes. */
export const holdReasons: ReadonlySet<unknown> = new Set([waitsForWindow, changeHeld]);
