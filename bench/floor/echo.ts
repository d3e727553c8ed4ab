import { stdin, stdout } from "bun"

// The least a message can cost on its way through another process: a pipe in, a pipe out.
const out = stdout.writer()
for await (const bytes of stdin.stream()) {
  out.write(bytes)
  await out.flush()
}
