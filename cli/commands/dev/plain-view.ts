import { timestamp } from "#shared/domain/kubernetes/object.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { issueSentences, placeText } from "../../io/issue-text.ts";
import { painted, print, safe, severityColours } from "../../io/safe-text.ts";
import { devState } from "../../screen/dev-state.ts";
import type { DevView } from "./dev-view.ts";

type Line = readonly [label: string, colour: Parameters<typeof painted>[0], text: string];

function lineOf(entry: LogEntry): Line | undefined {
  switch (entry.event) {
    case "published":
      return ["outcome", "magenta", `${entry.type} ${entry.subject}`];
    case "written":
      return ["written", "green", `${entry.verb} ${entry.object} (${entry.reason})`];
    case "sent":
      return ["sent", "green", `${entry.messages} to ${entry.queue} (${entry.reason})`];
    case "conflict":
      return ["conflict", "yellow", `${entry.object}: changed by another writer, reconciling again`];
    case "retry":
      return ["retry", "yellow", `${entry.key}: again in ${entry.delaySeconds} s: ${entry.error}`];
    case "not-forwarded":
      return ["retry", "yellow", `${entry.queue}: again in ${entry.delaySeconds} s: ${entry.error}`];
    default:
      return undefined;
  }
}

/** Returns the view of `hubrelay dev` that prints each change, issue and write as a line. */
export function plainView(stream: NodeJS.WriteStream): DevView {
  const written = new Set<string>();
  const write = ([label, colour, text]: Line) =>
    print(safe`${timestamp(new Date())} ${painted(colour, label.padEnd(9))}${text}\n`, stream);
  const state = devState(() => new Date(), {
    onChange({ what, colour, verdict, reason }) {
      written.clear();
      const isLabel = verdict === "failed" || verdict === "fixed";
      const text = [what, isLabel ? "" : verdict, reason].filter(Boolean).join(": ");
      write([isLabel ? verdict : "change", colour, text]);
    },
    onIssue(issue) {
      const { severity } = issue;
      write([severity, severityColours[severity], `${placeText(issue)}${issueSentences(issue)}`]);
    },
  });
  const nothing = () => undefined;
  return {
    prepared: (watched) => print(safe`The hub is the folder ${watched}.\n`, stream),
    opened: (_hub, fileOf) => state.opened(fileOf),
    log(name, entry) {
      state.log(name, entry);
      const line = lineOf(entry);
      if (!line || written.has(line[2])) return;
      written.add(line[2]);
      write(line);
    },
    planned: state.planned,
    firstRoundDone(summary, hints) {
      print(safe`${summary}${hints.map((hint) => safe`${hint}\n`)}`, stream);
    },
    ending: nothing,
    end: nothing,
    clear: nothing,
  };
}
