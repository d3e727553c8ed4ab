import { shellQuoted } from "@sandbox-agent/schema/shell-word"
import { type CompletionNode, flagValues, isNames, type Values } from "./completion-tree.ts"

/** `word:description`, as _describe takes it. */
const described = (word: string, text: string): string =>
  shellQuoted(`${word.replaceAll(":", "\\:")}:${text.replaceAll("\n", " ")}`)

/** Names are asked for of the program that is completed. */
const wordList = (values: Values): string =>
  isNames(values) ? `\${(f)"$("\${words[1]}" completions ${values} 2>/dev/null)"}` : values.map(shellQuoted).join(" ")

export function zshCompletions(nodes: readonly CompletionNode[]): string {
  return `#compdef sandbox-agent
# zsh completion for sandbox-agent; put it as _sandbox-agent into a folder of $fpath
_sandbox_agent() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" at="" path_words="" word
  local -i count=0 i
  local -a list
  # --flag=value is one word here
  if [[ "$cur" == --*=* ]]; then
    prev="\${cur%%=*}"
    compset -P '*='
  fi
  # the words before the first flag say which command it is; the word api may stand in front
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [[ "$word" == -* ]] && break
    [[ $i -eq 2 && "$word" == api ]] && continue
    path_words="\${path_words:+$path_words }$word"
    count+=1
  done
  case "$path_words" in
${casesOfWords(nodes)}
  esac
  case "$at $prev" in
${casesOfValues(nodes)}
  esac
  if [[ "$cur" == -* ]]; then
    case "$at" in
${casesOfFlags(nodes)}
    esac
    _describe -o 'flag' list
    return
  fi
  case "$at/$count" in
${casesOfNext(nodes)}
  esac
  _describe 'command' list
}
if [ "\${funcstack[1]}" = "_sandbox-agent" ]; then
  _sandbox_agent "$@"
else
  compdef _sandbox_agent sandbox-agent
fi
`
}

const casesOfWords = (nodes: readonly CompletionNode[]): string =>
  [...nodes]
    .filter((node) => node.words.length > 0)
    .sort((a, b) => b.words.length - a.words.length)
    .map(
      ({ words }) =>
        `    (${shellQuoted(words.join(" "))}|${shellQuoted(`${words.join(" ")} `)}*) at=${shellQuoted(words.join(" "))} ;;`,
    )
    .join("\n")

function casesOfValues(nodes: readonly CompletionNode[]): string {
  const cases: string[] = []
  for (const { words, flags } of nodes)
    for (const flag of flags) {
      if (flag.type === "boolean") continue
      const values = flagValues(flag)
      const list = values ? `compadd -- ${wordList(values)}` : flag.path ? "_files" : ":"
      cases.push(`    (${shellQuoted(`${words.join(" ")} --${flag.name}`)}) ${list}; return ;;`)
    }
  return cases.join("\n")
}

const casesOfFlags = (nodes: readonly CompletionNode[]): string =>
  nodes
    .map(
      ({ words, flags }) =>
        `      (${shellQuoted(words.join(" "))}) list=(${flags.map((f) => described(`--${f.name}`, f.help)).join(" ")}) ;;`,
    )
    .join("\n")

function casesOfNext(nodes: readonly CompletionNode[]): string {
  const cases: string[] = []
  for (const { words, next, argumentValues } of nodes) {
    const key = (extra: number): string => shellQuoted(`${words.join(" ")}/${words.length + extra}`)
    if (next.length > 0)
      cases.push(`    (${key(0)}) list=(${next.map((n) => described(n.word, n.summary)).join(" ")}) ;;`)
    argumentValues.forEach((values, i) => {
      if (values) cases.push(`    (${key(i)}) list=(${wordList(values)}) ;;`)
    })
  }
  return cases.join("\n")
}
