const ESCAPE = "\u001b"

/** Kinds of what terminals say by themselves, after an escape. */
const kinds: readonly RegExp[] = [
  /^\[[?>=][\d;]*c$/, // what it is
  /^\[\??\d+;\d+(;\d+)?R$/, // where its cursor is
  /^\[\d+n$/, // that it is well
  /^\[\?\d+;\d\$y$/, // whether a mode is on
  /^P[\s\S]*\\$/, // a setting
]

const kindOf = (text: string): number =>
  text.startsWith(ESCAPE) ? kinds.findIndex((kind) => kind.test(text.slice(1))) : -1

/** So many are remembered. */
const most = 32

/**
 * A program that asks its terminal something wants one answer. The daemon's own screen answers; every viewer is a terminal
 * too, sees the question and answers as well: these answers are left out.
 */
export class ExpectedAnswers {
  readonly #expected: number[] = []

  /** The screen has answered what this viewer will see. */
  answered(text: string): void {
    const kind = kindOf(text)
    if (kind < 0) return
    this.#expected.push(kind)
    if (this.#expected.length > most) this.#expected.shift()
  }

  /** Whether a piece of input is such an answer, and nothing that somebody typed. */
  takes(input: string): boolean {
    const kind = kindOf(input)
    const at = kind < 0 ? -1 : this.#expected.indexOf(kind)
    if (at >= 0) this.#expected.splice(at, 1)
    return at >= 0
  }
}
