/** Preloaded into a daemon: its wall clock is off by so many milliseconds, as after a machine's clock was set. */
const { now } = Date
const shift = Number(process.env.TEST_CLOCK_SHIFT)
Date.now = () => now.call(Date) + shift
