/** The style of Markdown, on status pages and in the dashboard. */
export const markdownStyle = `
.md{overflow-wrap:anywhere}
.md>*{margin:0}
.md>*+*{margin-top:.6em}
.md :is(h3,h4,h5,h6){font:620 1em/1.4 var(--sans)}
.md ul{padding-inline-start:1.4em;list-style:disc}
.md ol{padding-inline-start:1.7em;list-style:decimal}
.md li+li{margin-top:.2em}
.md blockquote{padding-inline-start:14px;border-inline-start:3px solid var(--line);color:var(--muted)}
.md :is(pre,code){font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
.md pre{padding:10px 14px;overflow-x:auto;border:1px solid var(--line);border-radius:8px;overflow-wrap:normal}
.md pre code{font-size:1em}
.md table{display:block;overflow-x:auto;border-collapse:collapse;overflow-wrap:normal}
.md :is(th,td){padding:5px 12px;border:1px solid var(--line);text-align:start}
.md img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:8px}
.md hr{border:0;border-top:1px solid var(--line)}
`
