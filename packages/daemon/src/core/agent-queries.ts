import type { Context } from "./context.ts"
import { withDeadline } from "./deadline.ts"
import type { Catalog, Driver, NativeRef, PastItem } from "./driver.ts"
import { hostFor } from "./opening.ts"

/** To start and to tell: whatever the driver itself waits for, nobody waits longer. */
const maxWaitMs = ({ deadlines }: Context): number => 2 * deadlines.openMs

/** What an agent offers. */
export const catalogOf = (context: Context, driver: Driver): Promise<Catalog> =>
  withDeadline(
    driver.catalog(hostFor(context, driver.agent)),
    maxWaitMs(context),
    `agent ${driver.agent} did not say what it offers`,
  )

/** The history of one of the agent's own sessions. */
export const pastOf = (context: Context, driver: Driver, ref: NativeRef): Promise<PastItem[]> =>
  withDeadline(
    Array.fromAsync(driver.history?.(ref, hostFor(context, driver.agent)) ?? []),
    maxWaitMs(context),
    `agent ${driver.agent} did not tell the past of ${ref.id}`,
  )
