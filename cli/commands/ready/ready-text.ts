import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { isReady, type JudgedImage, type ReadyReport, type ReadyStatus } from "#shared/domain/ready/judge.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { type JunitCase, junitSuite } from "../../io/report/junit.ts";
import type { OfSide } from "../../io/report/side-lists.ts";
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

/** Renders the counts, and every image that is not ready with the tried locations. */
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

function caseOf({ image, status, tried }: JudgedImage, isDisconnected: boolean): JunitCase {
  const text = tried.map(triedText).join("\n");
  const message = `nodes cannot pull it: ${status}`;
  return {
    className: "Image",
    name: image,
    ...(isReady(status, isDisconnected)
      ? { output: status === "ready" ? "" : `${status}\n${text}` }
      : { failure: { type: status, message, text } }),
  };
}

function casesOf(
  { images, issues, side }: ReadyReport & OfSide,
  isDisconnected: boolean,
): readonly JunitCase[] {
  const errors = issues.filter(({ severity }) => severity === "error");
  const cases: readonly JunitCase[] = [
    ...images.map((image) => caseOf(image, isDisconnected)),
    ...errors.map(({ code, message, object, remedy }) => ({
      className: object.kind,
      name: object.name,
      failure: { type: code, message, text: remedy },
    })),
  ];
  if (side === undefined) return cases;
  return cases.map((one) => ({ ...one, className: `${side} ${one.className}` }));
}

/** Renders a test for each image of each cluster, and for each error that leaves images unknown. */
export function readyJunit(
  reports: readonly (ReadyReport & OfSide & Readonly<{ coverage: Coverage }>)[],
  isDisconnected: boolean,
): string {
  const cases = reports.flatMap((report) => casesOf(report, isDisconnected));
  return junitSuite(
    "hubrelay ready",
    cases,
    reports.map(({ coverage }) => coverage),
  );
}
