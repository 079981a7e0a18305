import type { ImageReference } from "../../images/image-reference.ts";
import type { Issue } from "../../issues/issue.ts";
import { isSameJson } from "../../json/values.ts";
import { type Entries, newEntry } from "../merge/entries.ts";
import type { AppliedFiles } from "../merge/keep-applied.ts";
import { assembleEntries } from "../merge/merged-sources.ts";
import { findEntry, pullSources } from "../pull/pull-sources.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import type { EntryBasis } from "./build.ts";
import { isPayloadReachable } from "./payload.ts";
import type { ReadInput } from "./read-input.ts";
import { blocking, type GuardVerdict, guardIssues, guardRelease } from "./release-guard.ts";

type Guarded = Entries &
  Readonly<{
    verdict: GuardVerdict;
    /** The lists as they are applied. */
    scopes: Pick<EntryBasis, "insecure" | "blocked" | "exempt">;
  }>;

function assemble({ base, merged, insecure }: EntryBasis, verdict: GuardVerdict): Guarded {
  const images = verdict.exempting.flatMap((scope) => scope.images);
  const exempt = [...new Set(images.map(({ repository }) => repository))];
  const scopes = { insecure, blocked: verdict.registriesBlocked, exempt };
  return { verdict, scopes, ...assembleEntries(base, merged, scopes) };
}

/** Returns the locations of an image, by digest and by tag, and whether its source is blocked. */
function pullsOf(entries: readonly RegistryEntry[], { repository, digest = "" }: ImageReference): unknown {
  const entry = findEntry(entries, repository) ?? newEntry(repository);
  const locations = [{ digest }, { tag: "any" }].map((version) =>
    pullSources(entry, { repository, ...version }).map(({ location }) => location),
  );
  return { isBlocked: entry.blocked, locations };
}

/**
 * Decides which blocked scopes are applied. One that would cut off the release payload is applied without the
 * repositories of its images, if all of them are known or it is applied already, and if they are then pulled as if the
 * scope was left out; otherwise it is left out.
 */
export function guardLenient(
  { image, release, absentImages: absent }: ReadInput,
  basis: EntryBasis,
  applied: () => AppliedFiles,
): Guarded & Readonly<{ issues: readonly Issue[] }> {
  const { merged, insecure, blocked } = basis;
  if (!image || release.state !== "known") return { ...assemble(basis, blocking(blocked)), issues: [] };
  const { payload, needed, isComplete } = release;
  const digest = () => [...merged.digest, ...merged.any];
  const decide = (exempts: (scope: string) => boolean): Guarded => {
    const input = { needed, absent, digest, insecure, blocked };
    return assemble(basis, guardRelease(input, { failsOpen: false, exempts }));
  };
  const withIssues = (guarded: Guarded) => ({
    ...guarded,
    issues: guardIssues(guarded.verdict, image, blocked, "error"),
  });
  const leavingOut = decide(() => false);
  if (leavingOut.verdict.dropped.length === 0) return withIssues(leavingOut);
  const exempting = decide((scope) => isComplete || applied().rejected.has(scope));
  // Whether mirrors have unknown images is not known either: what is open now must stay so.
  const wasOpen = ({ repository }: ImageReference) =>
    !isComplete &&
    repository !== payload.repository &&
    findEntry(applied().entries, repository)?.blocked === false;
  const isOpen = ({ repository }: ImageReference) => !findEntry(exempting.entries, repository)?.blocked;
  const isSafe =
    needed.every((one) => isPayloadReachable(exempting.entries, one, absent)) &&
    needed.every((one) => !wasOpen(one) || isOpen(one)) &&
    exempting.verdict.exempting
      .flatMap(({ images }) => images)
      .every((one) => isSameJson(pullsOf(exempting.entries, one), pullsOf(leavingOut.entries, one)));
  return withIssues(isSafe ? exempting : leavingOut);
}
