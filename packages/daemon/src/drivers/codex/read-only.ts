/**
 * Whether a command can do nothing but read, for permission mode `plan` where the system offers no sandbox. Codex's own
 * reading of a command is for people (it calls `find -delete` a search), so only a few programs pass, in plain words:
 * no redirection, no substitution, no variables, nothing that could start something else.
 */
const readers = new Set([
  ...["cat", "cut", "du", "grep", "head", "ls", "md5sum", "nl", "pwd", "realpath", "sha256sum", "stat"],
  ...["tail", "true", "wc", "which", "whoami", "echo"],
])

export function readsOnly(command: string): boolean {
  if (/[<>$`\\;&(){}\n\r!*?[\]~#=]/.test(command.replaceAll("&&", " "))) return false
  const steps = command.split(/&&|\|\||\|/)
  return steps.every((step) => readers.has(step.trim().split(/\s+/)[0] ?? ""))
}
