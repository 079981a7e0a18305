import { HubError } from "#shared/ports/hub.ts";

/** Returns the error with which a request to the hub fails; throws when it fails with none, or with another. */
export async function failedRequest(request: Promise<unknown>): Promise<HubError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error("the request did not fail");
}
