const rowKeys: ReadonlyMap<string, number> = new Map([
  ["ArrowUp", -1],
  ["ArrowDown", 1],
]);

function cellAt(from: HTMLElement, key: string): HTMLElement | null | undefined {
  const list = from.closest(".hr-cells");
  if (!list) return undefined;
  const cells = [...list.querySelectorAll<HTMLElement>(".hr-cell")];
  const at = cells.indexOf(from);
  const lists = [...document.querySelectorAll(".hr-cells")];
  const listAt = (step: number) => lists[lists.indexOf(list) + step];
  const neighbour = (step: number) =>
    cells[at + step] ??
    (step < 0
      ? listAt(-1)?.querySelector<HTMLElement>("li:last-child .hr-cell")
      : listAt(1)?.querySelector<HTMLElement>(".hr-cell"));
  if (key === "ArrowLeft" || key === "ArrowRight") return neighbour(key === "ArrowLeft" ? -1 : 1);
  if (key === "Home" || key === "End") return cells.at(key === "Home" ? 0 : -1);
  const rows = rowKeys.get(key);
  if (rows === undefined) return undefined;
  const columns = cells.filter(({ offsetTop }) => offsetTop === cells[0]?.offsetTop).length;
  return cells[at + rows * columns] ?? listAt(rows)?.querySelector<HTMLElement>(".hr-cell");
}

let lastCell: HTMLElement | undefined;

/** Moves the focus to the first or last cell. From there, the Tab key leaves the grid. */
function leaveGrid(isBackwards: boolean): void {
  const cells = document.querySelectorAll<HTMLElement>(".hr-cell");
  cells[isBackwards ? 0 : cells.length - 1]?.focus({ preventScroll: true });
}

/** Lets the arrow keys move the focus in the grid of clusters. */
export function listenToKeys(): void {
  document.addEventListener("focusin", ({ target, relatedTarget }) => {
    if (!(target instanceof HTMLElement && target.matches(".hr-cell:focus-visible"))) return;
    if (relatedTarget instanceof Element && relatedTarget.matches(".hr-cell")) return;
    if (lastCell?.isConnected) lastCell.focus();
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const isCell = target.matches(".hr-cell");
    const next = isCell ? cellAt(target, key) : undefined;
    if (isCell && key === "Tab") {
      lastCell = target;
      leaveGrid(event.shiftKey);
      return;
    }
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
}
