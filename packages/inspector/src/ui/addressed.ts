import { useEffect, useRef, useState } from "react"
import { adjust, useRoute } from "../route.ts"

/** Browsers refuse an address that changes with every key. */
const pauseMs = 300

/** What a filter says, kept in the address: reload, back and a link keep it. */
export function useAddressed(name: "find" | "words"): [text: string, setText: (text: string) => void] {
  const { [name]: kept = "" } = useRoute()
  const [text, setText] = useState(kept)
  /** What came from here is known here, and may be older than what is typed now. */
  const written = useRef(kept)
  useEffect(() => {
    if (kept === written.current) return
    written.current = kept
    setText(kept)
  }, [kept])
  useEffect(() => {
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      adjust({ [name]: text || undefined }, { replace: true })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [name, text])
  return [text, setText]
}
