import { join } from "node:path"
import { generatedPages } from "./pages.ts"

/** Writes the generated pages. */
for (const [path, make] of Object.entries(generatedPages)) {
  await Bun.write(join(import.meta.dir, "..", path), make())
  console.log(path)
}
