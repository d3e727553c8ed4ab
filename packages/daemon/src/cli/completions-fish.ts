import { fishQuoted } from "@sandbox-agent/schema/shell-word"
import { type CompletionNode, flagValues, isNames, type Values } from "./completion-tree.ts"

/** On one line: help has several. */
const quoted = (text: string): string => fishQuoted(text.replaceAll("\n", " "))

/** Names are asked for when they are completed. */
const wordList = (values: Values): string =>
  quoted(isNames(values) ? `(sandbox-agent completions ${values} 2>/dev/null)` : values.join(" "))

export function fishCompletions(nodes: readonly CompletionNode[]): string {
  return `# fish completion for sandbox-agent; put it into ~/.config/fish/completions/sandbox-agent.fish
# the words before the first flag say which command it is; the word api may stand in front
function __sandbox_agent_words
  set -l tokens (commandline -opc)
  set -l first 2
  if test (count $tokens) -gt 1; and test "$tokens[2]" = api
    set first 3
  end
  for token in $tokens[$first..-1]
    if string match -q -- '-*' $token
      break
    end
    echo $token
  end
end
# exactly so many words, beginning with these
function __sandbox_agent_at
  set -l words (__sandbox_agent_words)
  test (count $words) -eq $argv[1]; and __sandbox_agent_in $argv[2..-1]
end
function __sandbox_agent_in
  set -l words (__sandbox_agent_words)
  set -l i 1
  for word in $argv
    if test (count $words) -lt $i; or test "$words[$i]" != "$word"
      return 1
    end
    set i (math $i + 1)
  end
end
complete -c sandbox-agent -f
${nodes.flatMap(linesOf).join("\n")}
`
}

function linesOf({ words, next, flags, argumentValues }: CompletionNode): string[] {
  const at = (extra: number): string => quoted(["__sandbox_agent_at", words.length + extra, ...words].join(" "))
  // Flags of the beginning stand alone; those of a command also after its arguments.
  const inside = words.length === 0 ? at(0) : quoted(["__sandbox_agent_in", ...words].join(" "))
  return [
    ...next.map((n) => `complete -c sandbox-agent -n ${at(0)} -a ${quoted(n.word)} -d ${quoted(n.summary)}`),
    ...argumentValues.flatMap((values, i) =>
      values ? [`complete -c sandbox-agent -n ${at(i)} -a ${wordList(values)}`] : [],
    ),
    ...flags.map((flag) => {
      const value =
        flag.type === "boolean"
          ? ""
          : flagValues(flag)
            ? ` -x -a ${wordList(flagValues(flag) ?? [])}`
            : flag.path
              ? " -r -F"
              : " -x"
      return `complete -c sandbox-agent -n ${inside} -l ${flag.name}${value} -d ${quoted(flag.help)}`
    }),
  ]
}
