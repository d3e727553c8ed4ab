import { withDeadline } from "./deadline.ts"
import { NotSupported } from "./driver.ts"
import { oneByOne } from "./one-by-one.ts"
import { ensureOpen } from "./opening.ts"
import type { Session } from "./session.ts"

/** Chooses a value of an option that only the agent knows: the agent is started for it if it is not there. */
export function chooseOption(s: Session, option: string, value: string | boolean): Promise<void> {
  return oneByOne(s, () => choose(s, option, value))
}

async function choose(s: Session, option: string, value: string | boolean): Promise<void> {
  s.assertWritable()
  await ensureOpen(s)
  const { native, epoch } = s
  if (native?.passthrough === undefined) throw new NotSupported(`the agent has no option ${JSON.stringify(option)}`)
  const { configureMs } = s.context.deadlines
  await withDeadline(native.passthrough.choose(option, value), configureMs, "the agent did not take the change")
  if (s.epoch === epoch) s.record.native = { ...s.record.native, ...native.ref }
  // Clients of the agent's own protocol learn of it here; to others it means nothing.
  s.append("agent.native", { method: "session/set_config_option" }, "daemon")
  await s.committed()
}
