import { useEffect, useState } from "react"
import { ConnectScreen } from "./connection/connect-screen.tsx"
import { chosen, type KnownDaemon } from "./connection/daemons.ts"
import type { Failure } from "./connection/failure.ts"
import { signIn, takeTicket } from "./connection/sign-in.ts"
import { DaemonContext, DaemonView } from "./daemon-context.ts"
import { useStore } from "./store.ts"
import { Notices } from "./ui/notices.tsx"
import { Workspace } from "./workspace.tsx"

/** Once: a ticket is good for one page. */
const first = signIn(takeTicket())

export function App() {
  const daemon = useStore(chosen)
  const [tried, setTried] = useState<{ daemon?: KnownDaemon; failure?: Failure }>()
  useEffect(() => {
    void first.then(setTried)
  }, [])
  return (
    <>
      {daemon !== undefined ? (
        <Daemon key={`${daemon.baseUrl} ${daemon.token}`} known={daemon} />
      ) : (
        tried !== undefined && <ConnectScreen begin={tried.daemon} failure={tried.failure} />
      )}
      <Notices />
    </>
  )
}

function Daemon({ known }: { known: KnownDaemon }) {
  const [view, setView] = useState<DaemonView>()
  useEffect(() => {
    const made = new DaemonView(known)
    setView(made)
    return () => made.close()
  }, [known])
  return (
    view && (
      <DaemonContext value={view}>
        <Workspace />
      </DaemonContext>
    )
  )
}
