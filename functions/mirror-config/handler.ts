import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { lazyRegistry } from "#shared/adapters/oci/lazy-registry.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { mirrorConfig } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(mirrorConfig, {
  ...(await lambdaPorts(process.env)),
  external: { registry: lazyRegistry(process.env) },
});
