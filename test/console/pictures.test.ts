import { test } from "vitest";
import { because } from "../support/setup/skipped-tests.ts";
import { noBrowser } from "./support/browser.ts";
import { serve } from "./support/example-console.ts";
import { pictureHub, shown } from "./support/picture-hub.ts";
import { drawPicture, drawsPictures } from "./support/pictures.ts";

test.skipIf(noBrowser !== undefined || !drawsPictures)(
  "The pages of the examples' hub should be drawn for the documentation",
  { ...because(noBrowser ?? "npm run pictures draws them"), timeout: 600_000 },
  async () => {
    const { url } = await serve(await pictureHub(), () => shown);
    const pages = {
      overview: "/",
      precaching: "/precaching?cluster=bergen-2",
      windows: "/windows",
      mirrors: `/mirrors?image=quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
      hosted: "/hosted?cluster=clusters/billing",
    };
    for (const [name, path] of Object.entries(pages)) await drawPicture(`console-${name}`, url + path, shown);
    // The README has both: it is the page that people see first.
    await drawPicture("console-precaching", url + pages.precaching, shown, "dark");
  },
);
