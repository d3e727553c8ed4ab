import { createInstaller } from "../../src/install/installer.ts"
import { bunLauncher } from "../../src/install/launcher.ts"
import { installTable } from "../../src/registry/installable.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { toolTable } from "./registry.ts"

/** Another process that installs into the same folder; says every phase, then the version. */
const { directory, agent, install, ...more } = JSON.parse(process.argv[2] ?? "{}")
const supervisor = createSupervisor({ daemonId: `second-${process.pid}`, log: () => {} })
const installer = createInstaller({
  directory,
  bun: bunLauncher([process.execPath]),
  supervisor,
  log: () => {},
  ...more,
  table: agent === "tool" ? toolTable : installTable,
})
const found = await installer.install(agent, install, ({ phase, bytes }) => console.log(`${phase} ${bytes}`))
console.log(`done ${found.version}`)
await supervisor.stopAll()
