import { limits } from "@sandbox-agent/schema/limits"

/** Of what is still free, one reader gets no more than this part: the last bytes are for many. */
const PART = 16

/**
 * Bytes that were handed to sockets and that their clients have not taken. The runtime copies what the kernel does not take
 * for each of them, so a reader is given the next slice when it has the last one, and slices get smaller as room gets scarce.
 */
export const inFlight = {
  bytes: 0,

  /** The most that one reader is given at once. */
  get slice(): number {
    const share = Math.floor((limits.handedBytes - inFlight.bytes) / PART)
    return Math.min(limits.sliceBytes, Math.max(limits.leastSliceBytes, share))
  },
}
