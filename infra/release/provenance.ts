import packageJson from "../../package.json" with { type: "json" };

/** What a statement of provenance is made from: digests in hexadecimal digits, by name. */
export type Provenance = Readonly<{
  commit: string;
  /** Who builds, as a URI. */
  builder: string;
  subjects: ReadonlyMap<string, string>;
  /** What was downloaded without a lockfile in the commit, by package URL. */
  downloads: ReadonlyMap<string, string>;
}>;

const home = packageJson.repository.url.replace(/\.git$/, "");

/**
 * Returns an in-toto statement with SLSA's provenance: which files were made from which commit, by whom, and what else was
 * used. npm's packages are not listed: the lockfiles of the commit have their digests. It has no time, so that two
 * builds of a commit give the same statement.
 */
export function provenanceStatement({ commit, builder, subjects, downloads }: Provenance): object {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...subjects].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${packageJson.homepage.replace(/#.*$/, "")}/blob/main/infra/release/main.ts`,
        externalParameters: { repository: home, commit },
        resolvedDependencies: [
          { uri: `${home}@${commit}`, digest: { gitCommit: commit } },
          ...[...downloads].map(([uri, sha256]) => ({ uri, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}
