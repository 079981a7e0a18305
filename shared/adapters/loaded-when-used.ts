import type { OutcomeTopic } from "../ports/outcome-topic.ts";

/** Returns a function that calls `open` at its first call, and returns the same result each time. */
export function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Returns a topic whose client is loaded at the first publication. */
export function topicLoadedWhenUsed(load: () => Promise<OutcomeTopic>): OutcomeTopic {
  const topic = once(load);
  return {
    async publish(events) {
      if (events.length > 0) await (await topic()).publish(events);
    },
  };
}
