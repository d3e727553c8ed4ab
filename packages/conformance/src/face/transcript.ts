/** A conversation in words of neither protocol: what a person would see. */
export interface Transcript {
  entries: Entry[]
  /** The last plan. */
  plan?: { content: string; status: string }[]
  /** How each turn that was prompted ended, in their order. */
  stops?: string[]
}

export type Entry = Words | Call | Note

interface TranscriptPosition {
  /** The call this hangs on. */
  under?: string
}

export interface Words extends TranscriptPosition {
  kind: "user" | "said" | "thought"
  text: string
  /** Pictures by their type, files by their path. */
  attached: string[]
}

export interface Call extends TranscriptPosition {
  kind: "call"
  id: string
  name?: string
  status: string
  output: string
  changes: FileChange[]
}

/** Something beside the conversation, such as a status: only that it was told. */
export interface Note extends TranscriptPosition {
  kind: "note"
  of: string
}

export interface FileChange {
  path: string
  added: string[]
  removed: string[]
}

const isWords = (entry: Entry | undefined): entry is Words =>
  entry?.kind === "user" || entry?.kind === "said" || entry?.kind === "thought"

/** Words of one kind that follow each other are one text: how they were cut into messages is the agent's business. */
function joined(entries: readonly Entry[]): Entry[] {
  const all: Entry[] = []
  for (const entry of entries) {
    const last = all.at(-1)
    if (!isWords(entry)) all.push(entry)
    else if (isWords(last) && last.kind === entry.kind && last.kind !== "user")
      all[all.length - 1] = { ...last, text: last.text + entry.text, attached: [...last.attached, ...entry.attached] }
    else if (entry.text !== "" || entry.attached.length > 0) all.push(entry)
  }
  return all
}

/** What hangs on one call, in its order; two sub-agents may speak by turns. */
function threads({ entries }: Transcript): Map<string, Entry[]> {
  const found = Map.groupBy(entries, ({ under }) => under ?? "")
  return new Map([...found].map(([under, entries]) => [under, joined(entries)]))
}

/** Where two transcripts differ, in words; none when they agree. */
export function differencesBetween(shown: Transcript, due: Transcript): string[] {
  const [mine, theirs] = [threads(shown), threads(due)]
  const wrong: string[] = []
  for (const under of new Set([...mine.keys(), ...theirs.keys()])) {
    const [a, b] = [mine.get(under) ?? [], theirs.get(under) ?? []]
    const place = under === "" ? "" : `under ${under}, `
    for (let i = 0; i < Math.max(a.length, b.length); i++)
      if (textOf(a[i]) !== textOf(b[i])) {
        wrong.push(`${place}entry ${i}: ${cut(textOf(a[i]))} where ${cut(textOf(b[i]))} is due`)
        break
      }
  }
  for (const part of ["plan", "stops"] as const)
    if (textOf(shown[part]) !== textOf(due[part]))
      wrong.push(`${part}: ${cut(textOf(shown[part]))} where ${cut(textOf(due[part]))} is due`)
  return wrong
}

const textOf = (value: unknown): string =>
  value === undefined
    ? "nothing"
    : JSON.stringify(value, (_, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      )

const longest = 500
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}… (${text.length})` : text)
