import type { OutcomeTopic } from "../ports/outcome-topic.ts";

/** Returns what opens something once, at the first call. */
export function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Returns a topic whose client is loaded when something is published. */
export function topicLoadedWhenUsed(load: () => Promise<OutcomeTopic>): OutcomeTopic {
  const topic = once(load);
  return {
    async publish(events) {
      if (events.length > 0) await (await topic()).publish(events);
    },
  };
}
