import { precacheReady } from "#functions/precache-ready/controller.ts";
import { heldFleet } from "../../ready/ready-fleet.ts";
import type { Recorder, Story } from "../story.ts";

async function readiness(trace: Recorder) {
  trace.scenario("An upgrade that requires ready images is planned; of its four images the mirror lacks one");
  const fleet = heldFleet({ around: trace.around });
  const step = () => fleet.step(precacheReady, { batchSize: 100 });
  fleet.lose(2);
  await step();

  trace.scenario("The image is mirrored; the tick five minutes later");
  fleet.hold(2);
  await trace.unrecorded(() => fleet.settle());
  fleet.notifyAfter(5);
  await step();

  trace.scenario("The tick a day later: everything is as before");
  await trace.unrecorded(() => fleet.settle());
  fleet.notifyAfter(24 * 60 + 1);
  await step();

  trace.scenario("A day later the registry does not respond");
  fleet.fail(true);
  fleet.notifyAfter(24 * 60 + 1);
  await step();

  trace.scenario("It responds again, and ready images are not required any more");
  fleet.fail(false);
  const cgu = fleet.upgrade();
  if (cgu) fleet.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations: {} } });
  await step();
  return fleet;
}

export const precacheReadyStory: Story = {
  controller: precacheReady,
  introduction:
    "What upgrades pre-cache, and what registries respond, become a ReadinessReport and an Event for each upgrade.",
  options: { maxChanges: 9 },
  scenarios: [readiness],
};
