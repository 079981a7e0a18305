import xterm from "@xterm/headless";

/** A terminal without a window: interprets output as xterm does. */
export type VirtualTerminal = Readonly<{
  write(output: string | Uint8Array): Promise<void>;
  /** Returns the rows that a person sees, without trailing spaces. */
  visible(): readonly string[];
  /** Returns the rows that have scrolled out of sight. */
  scrolledOut(): number;
  resize(columns: number, rows: number): void;
  isCursorVisible(): boolean;
}>;

export function virtualTerminal(columns: number, rows: number): VirtualTerminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let isCursorVisible = true;
  for (const [final, isVisible] of [
    ["h", true],
    ["l", false],
  ] as const)
    terminal.parser.registerCsiHandler({ prefix: "?", final }, (parameters) => {
      if (parameters.includes(25)) isCursorVisible = isVisible;
      return false;
    });
  return {
    write: (output) => new Promise((resolve) => terminal.write(output, resolve)),
    visible() {
      const { active } = terminal.buffer;
      return Array.from(
        { length: terminal.rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
      );
    },
    scrolledOut: () => terminal.buffer.active.baseY,
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    isCursorVisible: () => isCursorVisible,
  };
}
