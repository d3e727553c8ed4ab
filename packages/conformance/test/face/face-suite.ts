import { join } from "node:path"
import { type DriverSuite, runDriverSuite } from "../../src/driver-suite.ts"
import type { FaceOptions } from "../../src/face/face-client.ts"
import { root } from "../daemon.ts"
import type { Met } from "./met.ts"
import { schemaFaults } from "./protocol-schema.ts"

type SuiteStart = Pick<DriverSuite, "start" | "only">

/** The suite over the ACP face: the report is that of REST, because what passes there must pass here. */
export function runFaceSuite(
  agent: string,
  suite: SuiteStart,
  client: Omit<FaceOptions, "check">,
  differences: Met,
): void {
  runDriverSuite({
    ...suite,
    name: agent,
    report: join(root, `docs/conformance/${agent}.json`),
    face: { ...client, check: schemaFaults },
    differences,
  })
}
