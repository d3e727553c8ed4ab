/** Two columns, light and dark; one below the other on a phone. */
export const style = `:root{color-scheme:light dark;--bg:#fff;--raised:#fafafa;--sunken:#f4f4f5;--text:#18181b;--soft:#52525b;--line:#e4e4e7;--accent:#2563eb;--ok:#15803d;--wait:#b45309;--bad:#b91c1c;--mono:ui-monospace,SFMono-Regular,Menlo,monospace}
@media(prefers-color-scheme:dark){:root{--bg:#0e0f11;--raised:#16181b;--sunken:#0a0b0c;--text:#ececee;--soft:#a5a7ad;--line:#26292e;--accent:#6ea8fe;--ok:#4ade80;--wait:#fbbf24;--bad:#f87171}}
*{box-sizing:border-box}html{scroll-padding-top:16px}
body{margin:0;font:15px/1.5 system-ui,sans-serif;background:var(--bg);color:var(--text)}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre{font:12.5px/1.5 var(--mono)}code{overflow-wrap:anywhere}
nav{position:fixed;inset:0 auto 0 0;width:272px;overflow:auto;border-right:1px solid var(--line);background:var(--raised);padding:16px 12px;font-size:13px;line-height:1.35}
nav h1{font-size:15px;margin:0 4px 12px}nav h1 small{color:var(--soft);font-weight:400}
nav input{width:100%}input{font:13px system-ui;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:6px 8px}
nav details{margin:8px 0}nav summary{font-weight:600;padding:4px;cursor:pointer}nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;padding:4px;border-radius:6px;color:var(--text)}nav li a:hover,nav li a[aria-current]{background:var(--sunken);text-decoration:none}
nav li b{flex:0 0 44px;text-align:right;font-size:12px}
main{margin-left:272px;padding:24px 32px 96px;max-width:1320px}
h2{font-size:24px;margin:48px 0 0;padding-top:24px;border-top:1px solid var(--line)}h2+p{color:var(--soft);margin:4px 0 0}
h3{font-size:18px;margin:0 0 4px}h3 a{color:inherit}h3 code{font-size:16px}h4{font-size:12px;margin:20px 0 4px;color:var(--soft);text-transform:uppercase;letter-spacing:.04em}
small{color:var(--soft);font-weight:400}
article{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,27rem);gap:32px;padding:32px 0;border-bottom:1px solid var(--line)}
article:last-child{border-bottom:0}article:target h3 a{box-shadow:inset 3px 0 var(--accent);padding-left:8px}tr:target td{background:var(--sunken)}
.told{max-width:760px}.told p{margin:4px 0 8px}.shown{position:sticky;top:16px;align-self:start}
.path{font-size:13px}.open{color:var(--soft);font-size:12px;margin-left:8px}
b.GET,b.HEAD{color:var(--accent)}b.POST,b.PUT{color:var(--ok)}b.PATCH{color:var(--wait)}b.DELETE{color:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:1.4}th{text-align:left;color:var(--soft);font-weight:500;font-size:12px}
td,th{border-bottom:1px solid var(--line);padding:6px 12px 6px 0;vertical-align:top}
.fields td:first-child{width:28%}.fields td:nth-child(2){width:26%}td small{display:block}
.req,.opt{display:block;color:var(--wait);font-size:12px}.opt{color:var(--soft)}
td details,.told>details{margin-top:4px}summary{cursor:pointer;color:var(--accent);font-size:13px}nav summary{color:var(--text)}
td details table{border-left:2px solid var(--line);margin:4px 0 4px 2px}td details td,td details th{padding-left:10px}
.errors{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px}
figure{margin:0 0 12px;border:1px solid var(--line);border-radius:6px;overflow:hidden;background:var(--sunken)}
figcaption{display:flex;justify-content:space-between;padding:4px 12px;color:var(--soft);font-size:12px;border-bottom:1px solid var(--line)}
pre{margin:0;padding:12px;overflow:auto;max-height:26rem;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:12px system-ui;color:var(--accent);background:none;border:1px solid var(--line);border-radius:6px;padding:4px 10px;cursor:pointer}figcaption button{border:0;padding:0}
.run,.needs-script{display:none}.js .run{display:block;margin:0 0 12px}.js .needs-script{display:block}
.run label{display:flex;gap:8px;align-items:center;font:600 12px var(--mono)}.run input{flex:1;min-width:0;font:12.5px var(--mono)}.run pre{border:1px solid var(--line);border-radius:6px;margin-top:8px;background:var(--sunken)}
@media(max-width:1100px){article{grid-template-columns:minmax(0,1fr)}.shown{position:static}}
@media(max-width:760px){nav{position:static;width:auto;border-right:0;border-bottom:1px solid var(--line);max-height:60vh}main{margin:0;padding:16px}.fields thead{display:none}.fields tr{display:block;padding:8px 0;border-bottom:1px solid var(--line)}.fields td{display:inline-block;width:auto!important;border:0;padding:0 12px 0 0}.fields td:last-child{display:block}.fields td small,.req,.opt{display:inline;margin-left:8px}td,th{padding-right:8px}}`
