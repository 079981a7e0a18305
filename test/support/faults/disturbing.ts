import type { ObjectChange } from "#shared/ports/hub.ts";
import type { Recorder } from "../golden/story.ts";
import type { AllPorts, BatchPorts } from "../precache/precache-system.ts";

/** Disturbs a batch; `settled` is the number of changes of the hub before the scenario began. */
type Disturb = (ports: AllPorts, changes: readonly ObjectChange[], settled: number) => BatchPorts;

/** Returns a recorder that records nothing, and disturbs the batches that a golden trace would record. */
export function disturbing(disturb: Disturb): Recorder {
  let isRecording = true;
  let settled = 0;
  return {
    scenario: () => undefined,
    say: () => undefined,
    async unrecorded(work) {
      isRecording = false;
      await work();
      isRecording = true;
    },
    around(ports, _controller, changes) {
      if (isRecording) return disturb(ports, changes, settled);
      settled = changes.length;
      return ports;
    },
  };
}
