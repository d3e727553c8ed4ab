import { RawTerminal } from "../../../src/cli/chat/raw-terminal.ts"
import { Screen } from "../../../src/cli/chat/screen.ts"

/** A conversation that has a fault: it shows its bottom, and throws with the first key. */
const screen = new Screen()
screen.draw(() => ({ rows: ["› ", "ready"], cursor: { row: 0, column: 2 } }))
new RawTerminal(
  screen,
  () => {
    throw new Error("a fault of ours")
  },
  () => {},
)
