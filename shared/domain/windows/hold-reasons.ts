/*
 * The reasons of Kubernetes Events about changes above a limit. In a file of their own, since a watch for such Events needs
 * none of the code that decides them.
 */

/** The change waits for a maintenance window. */
export const waitsForWindow = "ChangeWaitsForWindow";
/** No maintenance window allows the change. */
export const changeHeld = "ChangeHeld";

/** Both reasons. */
export const holdReasons: ReadonlySet<unknown> = new Set([waitsForWindow, changeHeld]);
