const mebibyte = 1_048_576;
const minute = 60_000;

/** How much one API server may send: a response or list that never ends would fill this process's memory. */
export type ApiLimits = Readonly<{
  /** The maximum size of one response. */
  responseBytes: number;
  /** The maximum number of pages of one list, of restarts too. */
  listPages: number;
  /** The maximum time of one list, over all its pages. */
  listMs: number;
}>;

/**
 * The hub is trusted, so these only stop what never ends: a page of 500 ManifestWorks has about 25 MiB, 100,000 objects
 * have 200 pages, and the server forgets a list's version within ten minutes, after which it is restarted twice.
 */
export const hubLimits: ApiLimits = {
  responseBytes: 256 * mebibyte,
  listPages: 4_000,
  listMs: 30 * minute,
};

/**
 * A hosted cluster's API belongs to its tenant. From it single objects are read, and its ServiceAccounts: a page of
 * them has about 1 MiB, and 20,000 have 40 pages. The deadline leaves a batch time for its other clusters.
 */
export const guestLimits: ApiLimits = { responseBytes: 8 * mebibyte, listPages: 40, listMs: 20_000 };
