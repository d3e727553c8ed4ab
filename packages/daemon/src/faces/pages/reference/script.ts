/** Search, copying, and trying what only reads. The page can be read without it. */
export const script = `document.documentElement.classList.add("js")
const search = document.getElementById("search"), links = [...document.querySelectorAll("nav li a")]
const openFor = (hash) => { let at = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)))
  if (!at) return
  for (let up = at; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true
  for (const link of links) link.toggleAttribute("aria-current", link.hash === hash)
  const link = links.find((one) => one.hash === hash); const group = link && link.closest("details"); if (group) group.open = true
  at.scrollIntoView() }
addEventListener("hashchange", () => openFor(location.hash)); openFor(location.hash)
const find = () => { const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const link of links) link.parentElement.hidden = !words.every((word) => link.dataset.find.includes(word))
  for (const group of document.querySelectorAll("nav details")) { const some = group.querySelector("li:not([hidden])")
    group.hidden = !some; if (words.length) group.open = Boolean(some) } }
search.addEventListener("input", find)
search.addEventListener("keydown", (event) => { if (event.key === "Escape") { search.value = ""; find() }
  if (event.key === "Enter") { const link = links.find((one) => !one.parentElement.hidden); if (link) location.hash = link.hash } })
addEventListener("keydown", (event) => { if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) { event.preventDefault(); search.focus() } })
for (const caption of document.querySelectorAll("figcaption")) { const button = document.createElement("button"); button.textContent = "Copy"
  button.onclick = async () => { await navigator.clipboard.writeText(caption.nextElementSibling.textContent); button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy" }, 1500) }
  caption.append(button) }
for (const form of document.querySelectorAll("form.run")) form.onsubmit = async (event) => { event.preventDefault()
  const shown = form.querySelector("pre"), token = document.getElementById("token").value; shown.hidden = false; shown.textContent = "…"
  try { const answer = await fetch(new URL(form.querySelector("input").value, location.origin), { headers: token ? { authorization: "Bearer " + token } : {} })
    let text = await answer.text(); try { text = JSON.stringify(JSON.parse(text), null, 2) } catch {}
    shown.textContent = answer.status + " " + answer.statusText + "\\n" + text.slice(0, 20000) } catch (error) { shown.textContent = String(error) } }`
