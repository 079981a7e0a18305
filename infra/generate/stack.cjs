// For `${file(infra/generate/stack.cjs):PART}` in serverless.yml: osls loads only CommonJS.
const { join } = require("node:path");
module.exports = require("./stack.ts").stackParts(join(__dirname, "../.."));
