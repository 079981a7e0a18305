/** Returns the number of repetitions: enough to find a fault in CI, many times more with SOAK=1 (`npm run soak`). */
export function times({ ci, soak }: Readonly<{ ci: number; soak: number }>): number {
  return process.env.SOAK ? soak : ci;
}
