/** Does not wait for an answer to be written: an agent that is gone by then needs none, and its end is reported elsewhere. */
export function ignoreGone(sent: Promise<unknown>): void {
  sent.catch(() => undefined)
}
