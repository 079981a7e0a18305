import { HubError } from "./hub.ts";

/**
 * Returns the result, or undefined without permission to read: some permissions are granted for one object at a time, or
 * are new in this version, and hubrelay does what it can without them.
 */
export async function ifPermitted<Result>(
  read: Promise<Result>,
): Promise<Readonly<{ isPermitted: boolean; found: Result | undefined }>> {
  try {
    return { isPermitted: true, found: await read };
  } catch (error) {
    if (error instanceof HubError && error.code === "Forbidden")
      return { isPermitted: false, found: undefined };
    throw error;
  }
}
