import { join } from "node:path"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { version } from "../packages/daemon/src/cli/version.ts"

/** Writes the contract to docs/openapi.json; a test fails when the two differ. */
const path = join(import.meta.dir, "../docs/openapi.json")
await Bun.write(path, `${JSON.stringify(buildOpenApi(version), null, 2)}\n`)
console.log(path)
