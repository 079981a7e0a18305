/** Returns a generator of numbers in [0, 1) that depend only on the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The behavior of one simulated cluster. Times are in milliseconds. */
export type Fate = Readonly<{
  cluster: string;
  /** Time from a new ManifestWork to the agent's first report, and between checks of a suspended Job. */
  latencyMs: number;
  jobMs: number;
  /** Number of reports while the Job runs, including the report of its start. */
  reports: number;
  end: "succeeds" | "fails";
  /** How long the agent is offline; `never` for an agent that stays offline. */
  offlineMs: number | "never";
}>;

export type FateOptions = Readonly<{
  clusters: number;
  seed: number;
  /** Duration of the longest Job; the shortest takes a quarter of it. */
  maxJobMs: number;
  /** How long a cluster stays offline if it is offline only for a time. */
  offlineMs: number;
}>;

/** Returns the fate of a ManifestWork's cluster; undefined if the cluster is not simulated. */
export type FateOf = (cluster: string) => Fate | undefined | Promise<Fate | undefined>;

/** Returns a function that finds fates by cluster name. */
export function among(fates: readonly Fate[]): FateOf {
  const byCluster = new Map(fates.map((fate) => [fate.cluster, fate]));
  return (cluster) => byCluster.get(cluster);
}

/** The percentages of clusters whose Job fails, that are offline for a time, and that stay offline. */
const percent = { fails: 2, offline: 2, never: 1 } as const;

/** Returns random fates for a fleet, which are the same for the same seed and have exactly the percentages above. */
export function fatesOf({ clusters, seed, maxJobMs, offlineMs }: FateOptions): readonly Fate[] {
  const random = seededRandom(seed);
  const width = String(clusters).length;
  const names = Array.from(
    { length: clusters },
    (_, index) => `sno${String(index + 1).padStart(width, "0")}`,
  );
  const order = names.map((name) => ({ name, rank: random() })).sort((a, b) => a.rank - b.rank);
  const share = (hundredths: number) => Math.round((clusters * hundredths) / 100);
  const never = new Set(order.slice(0, share(percent.never)).map(({ name }) => name));
  const away = new Set(order.slice(never.size, never.size + share(percent.offline)).map(({ name }) => name));
  const failing = new Set(order.slice(-share(percent.fails) || order.length).map(({ name }) => name));
  return names.map((cluster) => ({
    cluster,
    latencyMs: 100 + Math.round(random() * 900),
    jobMs: Math.round(maxJobMs * (0.25 + random() * 0.75)),
    reports: 2,
    end: failing.has(cluster) ? "fails" : "succeeds",
    offlineMs: never.has(cluster) ? "never" : away.has(cluster) ? offlineMs : 0,
  }));
}
