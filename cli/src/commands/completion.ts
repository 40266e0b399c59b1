import { type Command, done, type ListedCommand, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';

/** What a shell offers after each command: its verbs and options. What else may follow are paths, which every shell knows. */
interface Offered {
  name: string;
  summary: string;
  verbs: readonly string[];
  options: readonly string[];
}

const shells = { bash, zsh, fish } as const;

/** Prints what makes a shell complete commands and options; it is given all commands, because it is one of them. */
export function completionOf(commands: () => readonly ListedCommand[]): Command {
  return {
    synopsis: Object.keys(shells).join('|'),
    optionHelp: [['--json', 'print commands and options as JSON, for a shell that is not among them']],
    options: { json: { type: 'boolean' } },
    run: async ({ values, positionals }, { terminal }) => {
      const offered = await Promise.all(
        commands().map(async ({ name, summary, load }): Promise<Offered> => {
          const { options, verbs = [] } = await load();
          return { name, summary, verbs, options: Object.keys(options).map((option) => `--${option}`) };
        }),
      );
      const [shell = '', ...others] = positionals;
      const write = Object.entries(shells).find(([name]) => name === shell)?.[1];
      if (others.length > 0 || (write === undefined && (values.json !== true || shell !== '')))
        return wrongUsage(`Name your shell: ${Object.keys(shells).join(', ')}.`);
      terminal.write(write === undefined ? `${JSON.stringify(offered, null, 2)}\n` : write(offered));
      return done(exitCodes.fine);
    },
  };
}

function bash(offered: readonly Offered[]): string {
  const cases = offered
    .map(({ name, verbs, options }) => `    ${name}) verbs="${verbs.join(' ')}" words="${options.join(' ')}" ;;\n`)
    .join('');
  return `# In ~/.bashrc: eval "$(proofmark completion bash)"
_proofmark() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" verbs=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${offered.map(({ name }) => name).join(' ')}"; else case "\${COMP_WORDS[1]}" in
${cases}  esac; fi
  COMPREPLY=()
  case "$COMP_CWORD:$word" in
    1:* | *:-*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    2:*) COMPREPLY=($(compgen -W "$verbs" -- "$word")) ;;
  esac
}
complete -o default -F _proofmark proofmark
`;
}

function zsh(offered: readonly Offered[]): string {
  return `# In ~/.zshrc: eval "$(proofmark completion zsh)"\nautoload -U +X bashcompinit && bashcompinit\n${bash(offered).split('\n').slice(1).join('\n')}`;
}

function fish(offered: readonly Offered[]): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  const lines = offered.flatMap(({ name, summary, verbs, options }) => [
    `complete -c proofmark -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...(verbs.length === 0
      ? []
      : [`complete -c proofmark -n '__fish_seen_subcommand_from ${name}' -a '${verbs.join(' ')}'`]),
    ...options.map((option) => `complete -c proofmark -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
  ]);
  return `# In ~/.config/fish/config.fish: proofmark completion fish | source\n${lines.join('\n')}\n`;
}
