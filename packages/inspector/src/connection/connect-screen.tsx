import { Fragment, useState } from "react"
import { useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { copyText } from "../ui/notices.tsx"
import { daemons, forget, type KnownDaemon, ownDaemon } from "./daemons.ts"
import type { Failure } from "./failure.ts"
import { enter } from "./sign-in.ts"

/** Where a daemon is and how to be let in; after a failure, what is missing. */
export function ConnectScreen({
  begin,
  failure: first,
}: {
  begin?: KnownDaemon | undefined
  failure?: Failure | undefined
}) {
  const known = useStore(daemons)
  const [baseUrl, setBaseUrl] = useState(begin?.baseUrl ?? ownDaemon() ?? "http://127.0.0.1:2468")
  const [token, setToken] = useState("")
  const [failure, setFailure] = useState(first)
  const [busy, setBusy] = useState(false)
  const connect = async (daemon: KnownDaemon) => {
    setBusy(true)
    const result = await enter(daemon)
    setBusy(false)
    setFailure(result.failure)
  }
  const others = known.filter((one) => one.baseUrl !== begin?.baseUrl)
  const isElsewhere = URL.canParse(baseUrl) && new URL(baseUrl).origin !== location.origin
  return (
    <main className="connect">
      <form
        className="card"
        aria-label="Connect"
        onSubmit={(event) => {
          event.preventDefault()
          void connect({ baseUrl: baseUrl.trim().replace(/\/+$/, ""), ...(token.trim() && { token: token.trim() }) })
        }}
      >
        <h1>
          <Logo /> Sandbox Agent
        </h1>
        <label className="field">
          <span>Daemon</span>
          <input
            value={baseUrl}
            inputMode="url"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        </label>
        <label className="field">
          <span>Token</span>
          <input
            type="password"
            value={token}
            placeholder="None, if it was started with --no-token"
            autoComplete="off"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {failure && (
          <div className="failure" role="alert">
            <p>
              <Icon name="alert" /> <b>{failure.title}</b>
            </p>
            <p>{failure.text}</p>
            {failure.command && <Command text={failure.command} />}
          </div>
        )}
        <button type="submit" className="primary wide" disabled={busy}>
          {busy ? "Connecting" : "Connect"}
        </button>
      </form>
      {others.length > 0 && (
        <section className="card" aria-label="Known daemons">
          <h2>Known daemons</h2>
          {others.map((one) => (
            <p key={one.baseUrl} className="known">
              <button type="button" className="quiet" onClick={() => void connect(one)}>
                {one.baseUrl}
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`Forget ${one.baseUrl}`}
                onClick={() => forget(one.baseUrl)}
              >
                <Icon name="close" size={14} />
              </button>
            </p>
          ))}
        </section>
      )}
      <section className="card soft-card">
        <h2>No daemon yet?</h2>
        <p>Start one where the agents should work. It prints an address that opens this page signed in.</p>
        <Command
          text={isElsewhere ? `sandbox-agent server --cors-allow-origin ${location.origin}` : "sandbox-agent server"}
        />
      </section>
    </main>
  )
}

export const Logo = () => (
  <svg className="logo" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" />
    <path d="M9 11l5 5-5 5M16 21h8" />
  </svg>
)

function Command({ text }: { text: string }) {
  return (
    <p className="run">
      <code>
        {text.split(" ").map((word, at) => (
          <Fragment key={at}>
            {at > 0 && " "}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
      <button type="button" className="icon-button" aria-label="Copy command" onClick={() => void copyText(text)}>
        <Icon name="copy" size={14} />
      </button>
    </p>
  )
}
