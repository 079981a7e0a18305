import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { isReady, type JudgedImage, type ReadyReport, type ReadyStatus } from "#shared/domain/ready/judge.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";

const triedText = ({ location, result, detail }: JudgedImage["tried"][number]): string =>
  `${location}: ${result}${detail === "" ? "" : `, ${detail}`}`;

const statusColour = (status: ReadyStatus, isDisconnected: boolean) =>
  status === "ready" ? "green" : isReady(status, isDisconnected) ? "yellow" : "red";

function imageRows(
  { image, status, tried }: JudgedImage,
  isDisconnected: boolean,
): readonly (readonly Cell[])[] {
  return [
    [painted(statusColour(status, isDisconnected), status), image],
    ...tried.map((one) => ["", safe`  ${triedText(one)}`]),
  ];
}

/** Renders a readiness report: the number of images of each status, then each image that is not ready. */
export function readyTable(
  { ready, summary, images, outage }: ReadyReport,
  isDisconnected: boolean,
): SafeText {
  const counts = Object.entries(summary.byStatus).map(([status, count]) => `${count} ${status}`);
  const verdict = painted(ready ? "green" : "red", ready ? "Ready" : "Not ready");
  const size = summary.bytes > 0 ? `, ${byteSize(summary.bytes)}` : "";
  const effect = outage ? safe`${outage.text}\n` : "";
  const headline = safe`${verdict}: ${counted(summary.images, "image")}${size}${counts.length > 0 ? `: ${someOf(counts, 8)}` : ""}\n${effect}`;
  const shown = images.filter(({ status }) => status !== "ready");
  if (shown.length === 0) return headline;
  const rows = shown.flatMap((image) => imageRows(image, isDisconnected));
  return safe`${headline}\n${tableWithHeadings(["STATUS", "IMAGE, AND WHERE NODES LOOK FOR IT"], rows)}`;
}
