export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:6px}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.4rem .75rem}summary{cursor:pointer;overflow-wrap:anywhere}
summary span{opacity:.75}small{opacity:.6;font-weight:400}b.GET{color:#2a7de1}b.POST{color:#1a9c5b}b.PATCH{color:#b8860b}b.DELETE{color:#d64545}
table{border-collapse:collapse;display:block;overflow:auto}td,th{border-bottom:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
nav a{margin-right:.75rem}`

/** A whole page without script and without network. */
export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · Sandbox Agent</title><style>${style}</style></head><body>${body}</body></html>`
