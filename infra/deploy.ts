import { deployStack, packageStack, runOrFail, stackOptions } from "./package-stack.ts";

/* `npm run deploy [-- --stage S --hub H --region R --param KEY=VALUE]` */
await runOrFail(async () => {
  const options = stackOptions(process.argv.slice(2));
  await packageStack(options);
  await deployStack(options);
});
