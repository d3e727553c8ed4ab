import { join } from "node:path"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { startMock } from "./starts.ts"

runDriverSuite({ name: "mock", report: join(root, "docs/conformance/mock.json"), start: startMock })
