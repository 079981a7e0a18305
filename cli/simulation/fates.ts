/** Returns a generator of random numbers in [0, 1) that are the same for the same seed. The algorithm is mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How one simulated cluster behaves. Times are in milliseconds. */
export type Fate = Readonly<{
  cluster: string;
  /** Time from a new ManifestWork to its first report. The agent also checks suspended Jobs at this interval. */
  latencyMs: number;
  jobMs: number;
  /** Number of reports while the Job runs. The report of its start is included. */
  reports: number;
  end: "succeeds" | "fails";
  /** How long the agent is offline from the start. `never` means that it never comes online. */
  offlineMs: number | "never";
}>;

export type FateOptions = Readonly<{
  clusters: number;
  seed: number;
  /** Maximum duration of a Job. The minimum is a quarter of it. */
  maxJobMs: number;
  /** Time after which clusters that are offline at the start come online, except those that never do. */
  offlineMs: number;
}>;

/** Returns the fate of a cluster; undefined if the cluster is not simulated. */
export type FateOf = (cluster: string) => Fate | undefined | Promise<Fate | undefined>;

/** Returns a function that finds the fate of a cluster in this list. */
export function among(fates: readonly Fate[]): FateOf {
  const byCluster = new Map(fates.map((fate) => [fate.cluster, fate]));
  return (cluster) => byCluster.get(cluster);
}

/** Percentages of clusters. Those with `offline` come online later. */
const percent = { fails: 2, offline: 2, never: 1 } as const;

/** Returns random fates for a fleet, according to `percent`. They are the same for the same seed. */
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
