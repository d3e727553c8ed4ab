import type { ContentPart, Item } from "sandbox-agent"

/** A fence longer than any in what it holds. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

export const markdownOf = (items: readonly Item[]): string => items.map(itemText).filter(Boolean).join("\n\n")

function itemText({ role, content }: Item): string {
  const text = content.map(partText).filter(Boolean).join("\n\n")
  return role === "user" ? text.replaceAll(/^/gm, "> ") : text
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text
    case "reasoning":
      return `<details><summary>Thinking</summary>\n\n${part.text}\n\n</details>`
    case "tool_call":
      return `**${part.name}**\n\n${fenced(part.arguments, "json")}`
    case "tool_result":
      return fenced(part.output)
    case "file_ref":
      return part.diff ? fenced(part.diff, "diff") : `\`${part.path}\``
    case "image":
      return `(image ${part.path ?? part.blob ?? ""})`
    case "json":
      return fenced(JSON.stringify(part.json, null, 2), "json")
    case "status":
      return `_${part.label}${part.detail ? `: ${part.detail}` : ""}_`
  }
}
