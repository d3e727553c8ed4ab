import type { Extracted } from "./document.ts"
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
}

/** Every agent whose schemas are recorded. */
export const sources: Readonly<Record<string, SchemaSource>> = {
  claude: { version: testedVersion("claude"), extract: extractClaude },
  codex: { version: testedVersion("codex"), extract: extractCodex },
  opencode: { version: testedVersion("opencode"), extract: extractOpencode },
  amp: { version: ampTypesVersion, extract: extractAmp },
  pi: { version: testedVersion("pi"), extract: extractPi },
}
