import type { Extracted } from "./document.ts"
import { amp } from "./roots/amp.ts"
import { claude } from "./roots/claude.ts"
import { codex } from "./roots/codex.ts"
import { opencode } from "./roots/opencode.ts"
import { pi } from "./roots/pi.ts"
import type { Roots } from "./roots.ts"
import { ampTypesVersion, extractAmp } from "./sources/amp.ts"
import { extractClaude } from "./sources/claude.ts"
import { extractCodex } from "./sources/codex.ts"
import { extractOpencode } from "./sources/opencode.ts"
import { extractPi } from "./sources/pi.ts"
import { testedVersion } from "./sources/program.ts"

export interface SchemaSource {
  /** The version recorded: the one the product is tested with. */
  version: string
  extract(version: string): Extracted | Promise<Extracted>
  /** What the types are made of that its driver has. */
  roots: Roots
}

/** Every agent whose schemas are recorded. */
export const sources: Readonly<Record<string, SchemaSource>> = {
  claude: { version: testedVersion("claude"), extract: extractClaude, roots: claude },
  codex: { version: testedVersion("codex"), extract: extractCodex, roots: codex },
  opencode: { version: testedVersion("opencode"), extract: extractOpencode, roots: opencode },
  amp: { version: ampTypesVersion, extract: extractAmp, roots: amp },
  pi: { version: testedVersion("pi"), extract: extractPi, roots: pi },
}
