/** Rules of the views of channels that other views of alerts and pages share. */
export const channelStyle = `
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:12px}
.tiles a{display:grid;gap:3px;height:100%;padding:16px 18px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);color:var(--text);text-decoration:none}
.tiles a:hover{border-color:var(--accent)}
.steps{display:grid;gap:8px;padding-inline-start:20px;list-style:decimal}
.subhead{font:640 1rem/1.35 var(--sans)}
.outcome{margin-top:6px;padding:8px 12px;border:1px solid color-mix(in srgb,var(--s) 45%,var(--line));border-left:3px solid var(--s);border-radius:8px;background:var(--surface);font-size:var(--note)}
.quoted{font-family:var(--mono);font-size:.8125rem}
`
