import { print, verbatim } from "../../io/safe-text.ts";
import type { CliCommand } from "../../program/command.ts";

/*
 * Each script runs `hubrelay complete -- WORDS…`, which prints one candidate per line, a tab and a description. The
 * last line is a colon and a number: see `directives` in complete.ts. A shell may source a script several times.
 */

const bash = `# bash completion for hubrelay
_hubrelay() {
  local line=\${COMP_LINE:0:COMP_POINT} words cur before candidate files=
  COMPREPLY=()
  read -ra words <<<"$line"
  case $line in *[[:space:]]) words+=("") ;; esac
  cur=\${words[\${#words[@]}-1]}
  # Readline replaces only what follows the last of these characters.
  before=\${cur%"\${cur##*[=:]}"}
  while IFS= read -r candidate; do
    case $candidate in
      :0) files=-f ;;
      :16) files=-d ;;
      :*) ;;
      *)
        candidate=\${candidate%%$'\\t'*}
        COMPREPLY+=("\${candidate#"$before"}")
        ;;
    esac
  done < <(hubrelay complete -- "\${words[@]:1}" 2>/dev/null)
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r candidate; do
      COMPREPLY+=("$candidate")
    done < <(compgen $files -- "\${cur#"$before"}")
  fi
}
complete -F _hubrelay hubrelay
`;

const zsh = `#compdef hubrelay
# zsh completion for hubrelay
_hubrelay() {
  local -a candidates
  local line files
  while IFS= read -r line; do
    case $line in
      :0) files=all ;;
      :16) files=folders ;;
      :*) ;;
      *) candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done < <(hubrelay complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} )) && _describe hubrelay candidates
  case $files in
    all) _files ;;
    folders) _files -/ ;;
  esac
}
# zsh runs a file of its function path to complete; one that a person reads registers the function.
if [ "\${funcstack[1]}" = _hubrelay ]; then _hubrelay "$@"; else compdef _hubrelay hubrelay; fi
`;

type Shell = Readonly<{
  script: string;
  install: string;
}>;

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    script: bash,
    install: `  source <(hubrelay completion bash)                       # in this shell
  echo 'source <(hubrelay completion bash)' >>~/.bashrc    # in every new one`,
  },
  zsh: {
    script: zsh,
    install: `  source <(hubrelay completion zsh)                        # in this shell, after: autoload -U compinit && compinit
  echo 'source <(hubrelay completion zsh)' >>~/.zshrc      # in every new one, below compinit`,
  },
};

function installHelp({ install }: Shell): string {
  return `
Install it:
${install}

It completes the command "hubrelay". In a checkout, where npx runs it, define that name first:
  hubrelay() { npx --no-install hubrelay "$@"; }
kubectl completes "kubectl hubrelay" without it, by the package's command kubectl_complete-hubrelay.`;
}

/** Adds `hubrelay completion SHELL`, and the hidden command that the printed scripts call. */
export function addCompletionCommands(hubrelay: CliCommand): void {
  const completion = hubrelay
    .command("completion")
    .description("print a script that completes commands, options and files");
  for (const [name, shell] of Object.entries(shells))
    completion
      .command(name)
      .description(`print the completion script for ${name}`)
      .closingHelp(installHelp(shell))
      .action(() => print(verbatim(shell.script)));

  hubrelay
    .command("complete", { hidden: true })
    .argument("[words...]", "the words after hubrelay; the last is completed, and may be empty")
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const { complete } = await import("./complete.ts");
      complete(hubrelay, words);
    });
}
