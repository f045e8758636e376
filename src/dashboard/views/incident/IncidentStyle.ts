/** Rules of the views of incidents and maintenance: the timeline, the acknowledgement, the calendar, differences. */
export const incidentStyle = `
.take{display:flex;flex-wrap:wrap;align-items:center;gap:12px 20px;padding:18px 20px;border:1px solid color-mix(in srgb,var(--major) 45%,var(--line));border-radius:var(--radius);background:color-mix(in srgb,var(--major) 7%,var(--surface))}
.take>div{flex:1 1 260px}
.take form{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end}
.take button{min-height:48px;padding:10px 26px;font-size:1.0625rem}
.panel>header .inline{flex-wrap:nowrap}
.panel>header .inline .field{flex:1 1 120px}
.take h2{font:660 1.125rem/1.35 var(--sans)}
.timeline .who{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;margin-bottom:4px}
.timeline .md{max-width:78ch}
.timeline li.internal .md{padding:10px 14px;border:1px dashed color-mix(in srgb,var(--degraded) 60%,var(--line));border-radius:8px;background:color-mix(in srgb,var(--degraded) 7%,var(--surface))}
.timeline li.internal{--s:var(--degraded)}
.preview{display:grid;gap:12px;padding:16px;border:1px solid var(--line);border-radius:var(--radius);background:var(--sunk)}
.preview .letter{white-space:pre-wrap}
.preview .paper{padding:14px 16px;border:1px solid var(--line);border-radius:8px;background:var(--surface)}
.diff{display:grid;font:.8125rem/1.55 var(--mono);white-space:pre-wrap}
.diff ins{background:color-mix(in srgb,var(--operational) 18%,transparent);text-decoration:none}
.diff del{background:color-mix(in srgb,var(--major) 16%,transparent);text-decoration:none}
.month{width:100%;border-collapse:collapse;table-layout:fixed}
.month th{padding:6px;color:var(--muted);font:600 var(--small)/1.4 var(--sans);text-align:start}
.month td{height:92px;padding:5px 6px;border:1px solid var(--line);vertical-align:top}
.month td.other{background:var(--sunk)}
.month td.today .day{background:var(--accent);color:var(--on-accent)}
.month .day{display:inline-block;min-width:24px;padding:0 6px;border-radius:99px;font:600 var(--small)/1.7 var(--sans);text-align:center}
.month a.window{display:block;min-height:24px;margin-top:3px;padding:2px 6px;border-radius:6px;background:color-mix(in srgb,var(--s,var(--maintenance)) 14%,var(--surface));color:var(--text);font-size:var(--small);text-decoration:none;overflow:hidden;text-overflow:ellipsis}
.month a.window:hover{text-decoration:underline}
@media(max-width:720px){
.take button,.take form{width:100%}.take button{min-height:60px}
.month th{padding:4px 2px;font-size:.75rem}.month td{height:56px;padding:2px}
.month a.window{height:24px;padding:0;background:var(--s,var(--maintenance))}.month a.window span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
}
`
