#!/usr/bin/env node
// kubectl runs this program (kubectl_complete-hubrelay) to complete `kubectl hubrelay …`.
process.argv.splice(2, 0, "complete", "--");
await import("./hubrelay.js");
