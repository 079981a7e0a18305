import type { ClusterStory } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import { lateness } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { forecastTime } from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import { age, byteSize, timeUntil, withRelativeTimes } from "#shared/domain/text/human-readable.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";
import { inColourOf } from "../../screen/cluster-table.ts";

type Row = readonly [string, Cell];

function stateRow({ cluster, group, progress }: ClusterStory, now: Date): Row {
  if (!progress) return [`  ${cluster}`, group];
  const { state, since, attempt } = progress;
  const from = since ? `, since ${since} (${age(new Date(since), now)})` : "";
  return [`  ${cluster}`, safe`${inColourOf(progress, group)} (${state})${from}, attempt ${String(attempt)}`];
}

function pulledRows({ progress }: ClusterStory): readonly Row[] {
  const { imagesDone = 0, imagesTotal, bytesDone = 0, bytesTotal } = progress ?? {};
  if (imagesTotal === undefined) return [];
  const size = bytesTotal === undefined ? "" : `, ${byteSize(bytesDone)} of ${byteSize(bytesTotal)}`;
  return [["  images", `${imagesDone} of ${imagesTotal}${size}`]];
}

function forecastRows({ forecast, by }: ClusterStory): readonly Row[] {
  if (forecast?.state !== "expected" && forecast?.state !== "unknown") return [];
  const { expectedEnd, latestEnd, reason } = forecast;
  const late = lateness(forecast, by);
  if (expectedEnd === null) return [["  expected", `${late || "unknown"}: ${reason}`]];
  const end = `by ${forecastTime(expectedEnd)}, at the latest ${forecastTime(latestEnd)}`;
  return [["  expected", late ? `${end}: ${late}` : end]];
}

function storyTable(story: ClusterStory, now: Date): SafeText {
  const { namespace, name, progress, reason, remedy, next } = story;
  const { deadline } = progress ?? {};
  const rows: readonly Row[] = [
    stateRow(story, now),
    ...(reason ? [["  reason", withRelativeTimes(reason, now)] as const] : []),
    ...pulledRows(story),
    ...(deadline ? [["  deadline", `in ${timeUntil(new Date(deadline), now)}`] as const] : []),
    ...forecastRows(story),
    ...(remedy ? [["  fix", remedy] as const] : []),
    ...(next ? [["  then", next] as const] : []),
  ];
  return safe`${painted("bold", `${namespace}/${name}`)}\n${table(rows)}`;
}

/** Renders the state of a cluster in each upgrade that selects the cluster. */
export function clusterTable(stories: readonly ClusterStory[], now: Date): SafeText {
  return safe`${stories.map((story) => storyTable(story, now))}`;
}
