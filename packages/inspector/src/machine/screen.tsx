import { FitAddon } from "@xterm/addon-fit"
import { Terminal as Xterm } from "@xterm/xterm"
import "@xterm/xterm/css/xterm.css"
import { useEffect, useRef, useState } from "react"
import type { Terminal, TerminalState } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { failed } from "../ui/notices.tsx"
import { keepStylesInSheets } from "./xterm-styles.ts"

keepStylesInSheets()

/** Of what is typed before the terminal is there. */
const EARLY_CHARS = 64 * 1024

/** One terminal on a screen. Leaving it leaves its program running; coming back shows the whole screen again. */
export default function Screen({ id }: { id: string }) {
  const { client } = useDaemon()
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<TerminalState>("connecting")
  useEffect(() => {
    const box = place.current
    if (box === null) return
    const look = getComputedStyle(document.documentElement)
    const color = (name: string) => look.getPropertyValue(name).trim()
    const ansi = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    const xterm = new Xterm({
      fontFamily: color("--mono"),
      fontSize: 12.5,
      cursorBlink: false,
      screenReaderMode: true,
      theme: {
        background: color("--bg"),
        foreground: color("--text"),
        cursor: color("--accent"),
        selectionBackground: `${color("--accent")}44`,
        ...Object.fromEntries(
          ansi.flatMap((name, at) => [
            [name, color(`--a${at}`)],
            [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, color(`--a${at}`)],
          ]),
        ),
      },
    })
    const fit = new FitAddon()
    xterm.loadAddon(fit)
    xterm.open(box)
    fit.fit()
    const watch = new ResizeObserver(() => fit.fit())
    watch.observe(box)
    let terminal: Terminal | undefined
    let isLeft = false
    // It can be typed into before it is known where that goes.
    let early = ""
    const typed = xterm.onData((text) => {
      early = (early + text).slice(0, EARLY_CHARS)
    })
    client.terminals.attach(id).then((found) => {
      if (isLeft) return found.dispose()
      terminal = found
      found.onState(setState)
      typed.dispose()
      found.attach(xterm)
      if (early !== "") found.write(early)
      xterm.focus()
    }, failed)
    return () => {
      isLeft = true
      watch.disconnect()
      terminal?.dispose()
      xterm.dispose()
    }
  }, [client, id])
  return (
    <div className="screen">
      {state !== "open" && <p className="note">{words[state]}</p>}
      <div className="screen-box" ref={place} />
    </div>
  )
}

const words: Record<TerminalState, string> = {
  idle: "Not connected",
  connecting: "Connecting",
  open: "",
  reconnecting: "Reconnecting",
  exited: "The program has ended. This is its last screen.",
  lost: "It cannot be reached any more.",
  disposed: "",
}
