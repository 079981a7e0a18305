// For `plugins` in serverless.yml: osls takes a module that is the class itself.
module.exports = require("./osls-plugin.ts").OslsPlugin;
