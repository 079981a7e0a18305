import { HubError } from "#shared/ports/hub.ts";

/**
 * The answer, or undefined where the account may not read: permissions for Secrets are given for one control plane
 * after the other, and what hubrelay does without them goes on.
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
