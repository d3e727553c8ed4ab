let isWanted = false

/** Whoever just made a session goes on by saying something: its composer takes the focus when it is there. */
export function speakNext(): void {
  isWanted = true
}

/** True once after `speakNext`. A touch screen would cover half of the page with its keyboard, unasked. */
export function takeSpeakNext(): boolean {
  const was = isWanted
  isWanted = false
  return was && !matchMedia("(pointer: coarse)").matches
}
