import { type Html, html } from "./html.ts";

/** A place on a drawn path. */
export type Step = Readonly<{
  /** The class that colours it. */
  colour: string;
  /** What says the same without colour, of one or two characters. */
  mark: string;
  content: Html;
  /** The path leads past it. */
  isSkipped?: boolean;
}>;

/** Renders places in their order along a line. */
export function drawnPath(label: string, steps: readonly Step[]): Html {
  const items = steps.map(
    ({ colour, mark, content, isSkipped = false }) =>
      html`<li class="hr-step ${colour}${isSkipped && " hr-skipped"}"><span class="hr-dot" aria-hidden="true">${mark}</span><div class="hr-step-text">${content}</div></li>`,
  );
  return html`<ol class="hr-path" aria-label="${label}">${items}</ol>`;
}

const digests = /(@sha256:[0-9a-f]{64})/;

/** Renders a text whose digests take little room: they are long, and mostly the same. */
export function shortDigests(text: string): Html {
  return html`${text.split(digests).map((part) => (digests.test(part) ? html`<span class="hr-digest" title="${part}">${part}</span>` : part))}`;
}

/** Renders what a page found out, before the reasons for it. */
export function verdictLine(isGood: boolean, text: string): Html {
  return html`<p class="hr-verdict ${isGood ? "hr-done" : "hr-failed"}"><span class="hr-dot" aria-hidden="true">${isGood ? "✓" : "✕"}</span><span class="hr-step-text">${shortDigests(text)}</span></p>`;
}

/** Renders more of something below a line that opens it. */
export function folded(id: string, summary: Html | string, content: Html): Html {
  return html`<details id="${id}" class="hr-details"><summary>${summary}</summary>${content}</details>`;
}
