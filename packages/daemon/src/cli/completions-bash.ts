import { shellQuoted } from "@sandbox-agent/schema/shell-word"
import { type CompletionNode, flagValues, isNames, type Values } from "./completion-tree.ts"

/** Names are asked for of the program that is completed; where that fails there are none. */
const wordList = (values: Values): string =>
  isNames(values) ? `"$("\${COMP_WORDS[0]}" completions ${values} 2>/dev/null || true)"` : shellQuoted(values.join(" "))

/** Works in bash 3.2 too, which macOS still has: no associative arrays, no compopt. */
export function bashCompletions(nodes: readonly CompletionNode[]): string {
  return `# bash completion for sandbox-agent; load with: source <(sandbox-agent completions bash)
_sandbox_agent() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="" at="" words="" list="" count=0 i word
  [ "$COMP_CWORD" -gt 0 ] && prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash splits --flag=value at the equals sign
  if [ "$cur" = "=" ]; then cur=""
  elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -gt 1 ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  # the words before the first flag say which command it is; the word api may stand in front
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in -*) break ;; esac
    if [ "$i" = 1 ] && [ "$word" = api ]; then continue; fi
    words="\${words:+$words }$word"
    count=$((count + 1))
  done
  case "$words" in
${casesOfWords(nodes)}
  esac
  case "$at $prev" in
${casesOfValues(nodes)}
  esac
  case "$cur" in
    -*) case "$at" in
${casesOfFlags(nodes)}
      esac ;;
    *) case "$at/$count" in
${casesOfNext(nodes)}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$list" -- "$cur"))
}
complete -F _sandbox_agent sandbox-agent
`
}

/** Longer commands first, so that arguments after them do not hide them. */
function casesOfWords(nodes: readonly CompletionNode[]): string {
  return [...nodes]
    .filter((node) => node.words.length > 0)
    .sort((a, b) => b.words.length - a.words.length)
    .map(
      ({ words }) =>
        `    ${shellQuoted(words.join(" "))}|${shellQuoted(`${words.join(" ")} `)}*) at=${shellQuoted(words.join(" "))} ;;`,
    )
    .join("\n")
}

function casesOfValues(nodes: readonly CompletionNode[]): string {
  const cases: string[] = []
  for (const { words, flags } of nodes)
    for (const flag of flags) {
      if (flag.type === "boolean") continue
      const values = flagValues(flag)
      const list = values
        ? `COMPREPLY=($(compgen -W ${wordList(values)} -- "$cur"))`
        : flag.path
          ? 'COMPREPLY=($(compgen -f -- "$cur"))'
          : "COMPREPLY=()"
      cases.push(`    ${shellQuoted(`${words.join(" ")} --${flag.name}`)}) ${list}; return ;;`)
    }
  return cases.join("\n")
}

const casesOfFlags = (nodes: readonly CompletionNode[]): string =>
  nodes
    .map(
      ({ words, flags }) =>
        `      ${shellQuoted(words.join(" "))}) list=${shellQuoted(flags.map((f) => `--${f.name}`).join(" "))} ;;`,
    )
    .join("\n")

/** By the command and how many words stand before the one that is written. */
function casesOfNext(nodes: readonly CompletionNode[]): string {
  const cases: string[] = []
  for (const { words, next, argumentValues } of nodes) {
    if (next.length > 0)
      cases.push(
        `      ${shellQuoted(`${words.join(" ")}/${words.length}`)}) list=${shellQuoted(next.map((n) => n.word).join(" "))} ;;`,
      )
    argumentValues.forEach((values, i) => {
      if (values)
        cases.push(`      ${shellQuoted(`${words.join(" ")}/${words.length + i}`)}) list=${wordList(values)} ;;`)
    })
  }
  return cases.join("\n")
}
