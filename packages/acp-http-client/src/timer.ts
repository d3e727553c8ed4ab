/** The longest time that a timer takes. Of a longer one it makes none at all: it is over at once. */
const longestMs = 2 ** 31 - 1

/** A timer; none for a time that is endless, or longer than a timer takes. */
export const timerOf = (work: () => void, ms: number): ReturnType<typeof setTimeout> | undefined =>
  ms <= longestMs ? setTimeout(work, ms) : undefined

/** The same, again and again. */
export const intervalOf = (work: () => void, ms: number): ReturnType<typeof setInterval> | undefined =>
  ms <= longestMs ? setInterval(work, ms) : undefined
