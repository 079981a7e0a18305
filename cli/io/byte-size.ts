const units = [
  { unit: "GiB", bytes: 1024 ** 3 },
  { unit: "MiB", bytes: 1024 ** 2 },
  { unit: "KiB", bytes: 1024 },
] as const;

/** Formats bytes in the largest full unit: `12.3 GiB`, `840.0 MiB`, `12 B`. */
export function byteSize(bytes: number): string {
  const fitting = units.find((one) => bytes >= one.bytes);
  return fitting ? `${(bytes / fitting.bytes).toFixed(1)} ${fitting.unit}` : `${bytes} B`;
}

/** Formats seconds: `3h20m`, `12m5s`, `40s`. */
export function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
