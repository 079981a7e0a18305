import type { Log, LogEntry } from "#shared/ports/log.ts";
import { issueSentences, placeText } from "../../io/issue-text.ts";
import { painted, print, safe } from "../../io/safe-text.ts";

type Colour = Parameters<typeof painted>[0];

/** Returns undefined for entries that only a log needs. */
function line(entry: LogEntry): readonly [label: string, colour: Colour, text: string] | undefined {
  switch (entry.event) {
    case "event-received":
      return ["event", "cyan", `${entry.type.split(".").at(-1)} ${entry.subject}`];
    case "event-ignored":
      return ["ignored", "dim", `${entry.subject}: ${entry.reason}`];
    case "decided":
      return ["decided", "bold", `${entry.subject}: ${entry.verdict}: ${entry.reason}`];
    case "issue":
      return [
        entry.issue.severity,
        entry.issue.severity === "error" ? "red" : "yellow",
        `${placeText(entry.issue)}${issueSentences(entry.issue)}`,
      ];
    case "published":
      return ["outcome", "magenta", `${entry.type} ${entry.subject}`];
    case "written":
      return ["written", "green", `${entry.verb} ${entry.object} (${entry.reason})`];
    case "sent":
      return ["sent", "green", `${entry.messages} to ${entry.queue} (${entry.reason})`];
    case "conflict":
      return ["conflict", "yellow", `${entry.object}: changed by another writer, reconciling again`];
    case "requeued":
      return ["requeued", "dim", `${entry.key}: reconciling again in ${entry.delaySeconds} s`];
    case "retry":
      return ["retry", "yellow", `${entry.key}: again in ${entry.delaySeconds} s: ${entry.error}`];
    case "dead-lettered":
      return ["dead", "red", `message ${entry.messageId}: ${entry.reason}`];
    case "failed":
      return ["failed", "red", `${entry.key}: ${entry.error}`];
    case "resynced":
      return ["resync", "dim", `${entry.messages} references sent again`];
    case "not-forwarded":
      return ["retry", "yellow", `${entry.queue}: again in ${entry.delaySeconds} s: ${entry.error}`];
    case "reconciled":
    case "handled":
    case "noticed":
    case "forwarded":
    case "synced":
    case "leading":
    case "standing-by":
    case "started":
    case "stopping":
    case "stopped":
      return undefined;
  }
}

/**
 * Returns the live view of `hubrelay dev`: a `Log` that writes a line for each entry, with colours on a terminal. Issues
 * are repeated only when they change, so that the output of a busy hub stays readable.
 */
export function liveView(stream: NodeJS.WriteStream): Log {
  let lastIssues = new Set<string>();
  let round = new Set<string>();
  return (entry) => {
    if (entry.event === "reconciled") {
      lastIssues = round;
      round = new Set();
    }
    const shown = line(entry);
    if (!shown) return;
    const [label, colour, text] = shown;
    if (entry.event === "issue") {
      round.add(text);
      if (lastIssues.has(text)) return;
    }
    print(safe`${painted(colour, label.padEnd(9))}${text}\n`, stream);
  };
}
