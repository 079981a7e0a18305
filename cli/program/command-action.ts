/** Returns the action of a command: what runs it is loaded when it is called, and returns the exit code. */
export function commandAction<Arguments extends readonly unknown[]>(
  load: () => Promise<(...args: Arguments) => number | Promise<number>>,
): (...args: Arguments) => Promise<void> {
  return async (...args) => {
    const run = await load();
    process.exitCode = await run(...args);
  };
}
