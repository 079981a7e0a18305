import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { startOnTerminal, whyNoTerminal } from "../support/terminal/pseudo-terminal.ts";

const fleet = join(paths.root, "examples/fleet");

// They mostly wait.
describe.concurrent("the screen", () => {
  test.skipIf(whyNoTerminal)(
    "When dev runs on a small terminal, its screen should show error, fleet and held change, and end clean",
    because(whyNoTerminal),
    async ({ onTestFinished }) => {
      const args = ["dev", "--from", fleet];
      const terminal = await startOnTerminal(80, 24, args, {
        onTestFinished,
        variables: { npm_lifecycle_event: "start" },
      });
      const { shows, visible } = terminal;
      // Each at its time: a small screen shows only the newest events.
      const all = [
        /^hubrelay {2}\d\d:\d\d:\d\dZ {2}hub, a copy of/m,
        /^error {2}hub\/teams\.yaml:\d+:7 {2}ImageDigestMirrorSet\/storage-team/m,
        /hub\/teams\.yaml {2}fixed$/m,
        /^fleet\/fleet-4-20 {2}Precaching in progress for 11 clusters$/m,
        /^ {2}bergen-1 +pulling +\d+s +\d+\/190$/m,
        /99-worker-generated-registries: held$/m,
        /^Watching hub; edit a file there, or press Ctrl-C to end\.$/m,
      ];
      await shows(...all);
      expect(terminal.isCursorVisible()).toBe(false);

      expect(visible().join("\n")).not.toMatch(/^error/m);

      terminal.press("C-c");
      expect(await terminal.ended).toBe(0);
      const last = visible();
      expect(last.filter(Boolean).slice(-4)).toEqual([
        "  npx --no-install hubrelay doctor",
        "  npx --no-install hubrelay precache plan --sizes",
        "  npx --no-install hubrelay precache status --watch",
        "Ended.",
      ]);
      expect(last.join("\n")).not.toContain("^C");
      expect(terminal.isCursorVisible()).toBe(true);
      // Nothing was drawn twice: no frame has scrolled out of sight.
      expect(terminal.scrolledOut()).toBe(0);
    },
  );

  test.skipIf(whyNoTerminal)(
    "When dev cannot start, its error should be all that is left on the terminal",
    because(whyNoTerminal),
    async ({ onTestFinished }) => {
      const args = ["dev", "--from", "nowhere"];
      const { visible, ended } = await startOnTerminal(80, 24, args, { onTestFinished });
      expect(await ended).toBe(2);
      expect(visible().filter(Boolean)).toEqual([expect.stringMatching(/^hubrelay: --from nowhere /)]);
    },
  );
});
