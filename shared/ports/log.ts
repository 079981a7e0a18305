import type { Issue } from "../domain/issue.ts";

/**
 * What happens in a function, as data: the one telemetry path. The JSON log, the live view of `hubrelay dev`
 * and the metrics are all made from these entries. No entry ever holds an object's content, only names.
 */
export type LogEntry =
  | Readonly<{ event: "event-received"; type: string; subject: string; messageId: string }>
  | Readonly<{ event: "event-ignored"; type: string; subject: string; reason: string }>
  | Readonly<{ event: "decided"; key: string; subject: string; verdict: string; reason: string }>
  | Readonly<{ event: "issue"; key: string; issue: Issue }>
  | Readonly<{ event: "published"; key: string; type: string; subject: string; id: string }>
  | Readonly<{ event: "written"; key: string; verb: string; object: string; reason: string }>
  | Readonly<{ event: "conflict"; key: string; object: string }>
  | Readonly<{ event: "requeued"; key: string; delaySeconds: number }>
  | Readonly<{ event: "retry"; key: string; error: string; delaySeconds: number; attempt: number }>
  | Readonly<{ event: "dead-lettered"; messageId: string; reason: string }>
  | Readonly<{ event: "reconciled"; key: string; messages: number; durationMs: number }>
  | Readonly<{ event: "resynced"; messages: number }>
  | Readonly<{ event: "failed"; key: string; error: string }>;

export type Log = (entry: LogEntry) => void;
