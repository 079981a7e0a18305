import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { outcomeTopicContract } from "./outcome-topic.contract.ts";

outcomeTopicContract("the embedded server", () => startEmbeddedMessaging({ queues: [], topic: "outcomes" }));
