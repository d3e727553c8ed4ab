import { createElement as h, memo, StrictMode, useState } from "react"
import { createRoot } from "react-dom/client"
import { SandboxAgentClient } from "sandbox-agent"
import { usePending, useSession, useTranscript } from "sandbox-agent/react"

const drawn = { items: 0, pending: 0 }
const textOf = ({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join("")

function Items({ client, id }) {
  drawn.items++
  const { items, error } = useTranscript(useSession(client, id))
  return h(
    "ol",
    null,
    items.map((item) => h("li", { key: item.item_id, className: item.role }, textOf(item))),
    error && h("li", { className: "error" }, error.message),
  )
}

const Requests = memo(({ client, id }) => {
  drawn.pending++
  const session = useSession(client, id)
  const { permissions, questions } = usePending(session)
  return h(
    "div",
    null,
    permissions.map(({ permission_id: permission, action }) =>
      h(
        "button",
        { key: permission, type: "button", onClick: () => session.replyPermission(permission, "once") },
        `Allow ${action}`,
      ),
    ),
    questions.map(({ question_id: question, prompt, options }) =>
      h(
        "button",
        { key: question, type: "button", onClick: () => session.replyQuestion(question, [[options[0]]]) },
        `${prompt} ${options[0]}`,
      ),
    ),
  )
})

function Chat({ client, id }) {
  const [text, setText] = useState("")
  const session = useSession(client, id)
  const status = useTranscript(session, (state) => state.session?.status ?? "loading")
  const onSubmit = (event) => {
    event.preventDefault()
    void session.send(text)
    setText("")
  }
  return h(
    "form",
    { onSubmit },
    h("output", null, status),
    h(Items, { client, id }),
    h(Requests, { client, id }),
    h("input", { value: text, onChange: ({ target }) => setText(target.value) }),
  )
}

window.start = (token, ids) => {
  const client = new SandboxAgentClient({ baseUrl: location.origin, token, autoConnect: false })
  const root = createRoot(document.body.appendChild(document.createElement("main")))
  const show = (id) => root.render(h(StrictMode, null, h(Chat, { client, id, key: id })))
  show(ids[0])
  return Object.assign(window, { drawn, show, leave: () => root.unmount() }) && true
}
