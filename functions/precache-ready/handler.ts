import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { openFreshRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheReady } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheReady, {
  ...(await lambdaPorts(process.env)),
  external: { freshRegistry: openFreshRegistry(process.env) },
});
