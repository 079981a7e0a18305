import { HubError } from "../ports/hub.ts";

/**
 * Returns the result, or undefined without permission to read: permissions for Secrets are granted for one control
 * plane at a time, and hubrelay does what it can without them.
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
