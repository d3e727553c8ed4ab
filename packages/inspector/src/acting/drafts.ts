/** What was typed and not sent, by session: it is there again when one comes back. */
const drafts = new Map<string, string>()

export const draftOf = (id: string): string => drafts.get(id) ?? ""

export const keepDraft = (id: string, text: string): void => {
  drafts.set(id, text)
}
