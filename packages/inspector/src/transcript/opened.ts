import { useState } from "react"

/** What the reader opened or closed, by item: rows that are out of sight are not kept. */
const choices = new Map<string, boolean>()
/** Beyond so many, those chosen first are forgotten. */
const most = 2000

export function useOpened(id: string, otherwise: boolean): [open: boolean, toggle: () => void] {
  const [choice, setChoice] = useState(() => choices.get(id))
  const open = choice ?? otherwise
  const toggle = () => {
    if (choices.size >= most) choices.delete(choices.keys().next().value ?? "")
    choices.set(id, !open)
    setChoice(!open)
  }
  return [open, toggle]
}
