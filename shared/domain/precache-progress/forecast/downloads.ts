import { emptyHeap, type Heap } from "./heap.ts";

/** The speed of a cluster in Mbit/s (10^6 bits). Clusters with the same `link` share this speed equally. */
export type Speed = Readonly<{ mbit: number; link?: string }>;

/** A set of simulated downloads in progress. All times are in milliseconds. */
export type Downloads = Readonly<{
  begin(cluster: string, bytes: number, speed: Speed, now: number): void;
  /** Returns the bytes that a cluster still has to download; undefined without a download. */
  left(cluster: string, now: number): number | undefined;
  stop(cluster: string, now: number): void;
  /** Returns the time at which the next download will be complete; undefined without downloads. */
  nextEnd(): number | undefined;
  /** Ends all downloads that are complete, and returns their clusters. */
  complete(now: number): readonly string[];
}>;

/** `each`: the bytes that a cluster would have pulled by now if it had used the link from the beginning. */
type Link = {
  bytesPerMs: number;
  each: number;
  at: number;
  /** By cluster: the value of `each` at which the cluster's download is complete. */
  readonly dones: Map<string, number>;
  readonly order: Heap<string>;
  /** Increases with each change of the link. An end that was computed for an older version is ignored. */
  version: number;
};

type First<Item> = ReturnType<Heap<Item>["first"]>;

function firstOf<Item>(heap: Heap<Item>, counts: (entry: NonNullable<First<Item>>) => boolean): First<Item> {
  for (;;) {
    const first = heap.first();
    if (!first || counts(first)) return first;
    heap.take();
  }
}

/** Returns the download that is complete first on a link. It also drops entries of stopped downloads from `order`. */
const nextOn = ({ order, dones }: Link): First<string> =>
  firstOf(order, ({ key, item }) => dones.get(item) === key);

const newLink = (now: number): Link => ({
  bytesPerMs: 0,
  each: 0,
  at: now,
  dones: new Map(),
  order: emptyHeap(),
  version: 0,
});

function advance(link: Link, now: number): void {
  if (link.dones.size > 0) link.each += ((now - link.at) * link.bytesPerMs) / link.dones.size;
  link.at = now;
}

/** Returns an empty set of downloads. */
export function noDownloads(): Downloads {
  const links = new Map<string, Link>();
  const linkOf = new Map<string, Link>();
  const ends = emptyHeap<Readonly<{ link: Link; version: number }>>();

  const planNext = (link: Link) => {
    link.version++;
    const next = nextOn(link);
    if (!next) return;
    const wait = (Math.max(0, next.key - link.each) * link.dones.size) / link.bytesPerMs;
    // Dates have whole milliseconds: rounding down could let a download end too early.
    ends.add(Math.ceil(link.at + wait), { link, version: link.version });
  };
  const nextEnd = () => firstOf(ends, ({ item: { link, version } }) => version === link.version);
  const remove = (cluster: string, link: Link) => {
    link.dones.delete(cluster);
    linkOf.delete(cluster);
  };

  return {
    begin(cluster, bytes, { mbit, link: name }, now) {
      const found = name === undefined ? undefined : links.get(name);
      const link = found ?? newLink(now);
      if (name !== undefined) links.set(name, link);
      advance(link, now);
      link.bytesPerMs = mbit * 125;
      const done = link.each + bytes;
      link.dones.set(cluster, done);
      link.order.add(done, cluster);
      linkOf.set(cluster, link);
      planNext(link);
    },
    left(cluster, now) {
      const link = linkOf.get(cluster);
      const done = link?.dones.get(cluster);
      if (!link || done === undefined) return undefined;
      advance(link, now);
      return Math.max(0, Math.round(done - link.each));
    },
    stop(cluster, now) {
      const link = linkOf.get(cluster);
      if (!link) return;
      advance(link, now);
      remove(cluster, link);
      planNext(link);
    },
    nextEnd: () => nextEnd()?.key,
    complete(now) {
      const complete: string[] = [];
      for (let first = nextEnd(); first && first.key <= now; first = nextEnd()) {
        const { link } = first.item;
        advance(link, now);
        // Sums of fractions are inexact: a download that ends within the next millisecond counts as complete.
        const done = link.each + link.bytesPerMs;
        for (let next = nextOn(link); next && next.key <= done; next = nextOn(link)) {
          remove(next.item, link);
          complete.push(next.item);
        }
        planNext(link);
      }
      return complete;
    },
  };
}
