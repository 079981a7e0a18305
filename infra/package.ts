import { packageStack, runOrFail, stackOptions } from "./package-stack.ts";

/* `npm run package [-- --stage S --hub H --region R --param KEY=VALUE]` */
await runOrFail(() => packageStack(stackOptions(process.argv.slice(2))));
