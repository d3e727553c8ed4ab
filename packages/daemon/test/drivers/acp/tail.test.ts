import { expect, test, vi } from "vitest"
import { Tail } from "../../../src/drivers/acp/tail.ts"

test("one that is full takes more without being made anew", () => {
  const tail = new Tail(4_096)
  const piece = "0123456789abcdef".repeat(64)
  for (let n = 0; n < 16; n++) tail.add(piece)
  const alloc = vi.spyOn(Buffer, "alloc")
  try {
    for (let n = 0; n < 64; n++) tail.add(piece)
    expect(alloc).not.toHaveBeenCalled()
  } finally {
    alloc.mockRestore()
  }
  expect([tail.text, tail.truncated]).toEqual([piece.repeat(4), true])
})
