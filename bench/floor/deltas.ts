import { writeSync } from "node:fs"
import { now } from "../measure/clock.ts"

/** Plays the commands of the bench as the mock agent does; `line` makes one line of the agent's protocol of a delta. */
export async function playDeltas(message: string, line: (delta: string) => string): Promise<void> {
  const [command, count, more] = message.trim().split(/\s+/)
  if (command === "/stream") stream(Number(count), Number(more ?? 8), line)
  else if (command === "/flood") await flood(Number(count), Number(more), line)
  else
    write(
      message
        .split(" ")
        .map((word) => line(`${word} `))
        .join(""),
    )
}

/** `chars` long each. */
function stream(count: number, chars: number, line: (delta: string) => string): void {
  let batch = ""
  for (let i = 0; i < count; i++) {
    batch += line(String(i).padEnd(chars))
    if (batch.length < 16_384 && i < count - 1) continue
    write(batch)
    batch = ""
  }
}

async function flood(count: number, perSecond: number, line: (delta: string) => string): Promise<void> {
  const start = performance.now()
  for (let i = 0; i < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1)
    let batch = ""
    for (; i < due; i++) batch += line(`${i}:${now().toFixed(3)} `)
    if (batch !== "") write(batch)
    await Bun.sleep(1)
  }
}

/** Blocks until the pipe has taken all of it. */
export function write(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
      Bun.sleepSync(0.1)
    }
  }
}
