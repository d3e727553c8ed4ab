/** For how long something takes: unlike the time of day it never jumps. */
export const elapsedMs = (): number => performance.now()
