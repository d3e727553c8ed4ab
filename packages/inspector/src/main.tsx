import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import { refuseStrayDrops } from "./stray-drops.ts"
import "./style/tokens.css"
import "./style/base.css"
import "./style/parts.css"
import "./style/layout.css"
import "./style/pages.css"
import "./style/widths.css"
import "./style/transcript.css"
import "./style/acting.css"
import "./style/content.css"
import "./style/panel.css"
import "./style/machine.css"

const place = document.getElementById("page")
if (place === null) throw new Error("index.html has no place for the page")
refuseStrayDrops()
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
