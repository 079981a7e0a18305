/*
 * The reasons of Kubernetes Events about a change that costs more than is allowed. Apart from what decides them, since a
 * watch that looks for such Events needs no calendar.
 */

/** The change waits for a maintenance window. */
export const waitsForWindow = "ChangeWaitsForWindow";
/** No maintenance window allows the change. */
export const changeHeld = "ChangeHeld";

/** Both of them. */
export const holdReasons: ReadonlySet<unknown> = new Set([waitsForWindow, changeHeld]);
