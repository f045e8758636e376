/** Rules of the list and the form of monitors. */
export const monitorStyle = `
.block{display:block}
.tabs .count{margin-left:3px;color:var(--muted);font-weight:500;font-size:var(--small)}
.bulk-bar{display:flex;flex-wrap:wrap;gap:10px 18px;align-items:center;padding:10px 18px;border-bottom:1px solid var(--line)}
.bulk-bar input,.bulk-bar select{min-height:30px;width:150px;padding:3px 9px;font-size:.875rem}
.bulk-bar .inline-field{display:flex;gap:6px;align-items:center}
.bulk-bar .buttons{margin-left:auto}
.bulk>.wrong{margin:12px 18px}
.monitors{table-layout:fixed}
.monitors th:nth-last-child(4){width:138px}
.monitors th:nth-last-child(3){width:136px}
.monitors th:nth-last-child(2){width:208px}
.monitors th:last-child{width:22%}
.monitors .num{white-space:nowrap}
.monitors td.named{min-width:0}
.monitors .box{width:42px;padding-right:0}
.monitors .box input{width:20px;height:20px;margin:2px}
.monitors .address{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.monitors .last .error{overflow:hidden;text-overflow:ellipsis;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2}
.monitors .last{display:block;min-width:0;overflow-wrap:anywhere}
.monitors .latency{display:flex;flex-wrap:wrap;align-items:center;gap:0 10px}
.monitors .latency .spark{flex:0 1 120px;min-width:36px}
.error{color:var(--bad-text)}
.tags{display:flex;flex-wrap:wrap;gap:4px;margin-top:4px}
.kinds{display:flex;flex-wrap:wrap;gap:8px;margin-bottom:20px}
.kinds a{padding:6px 14px;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--text);font-weight:560;text-decoration:none}
.kinds a:hover{background:var(--sunk)}
.kinds a[aria-current]{border-color:var(--accent);background:color-mix(in srgb,var(--accent) 10%,var(--surface))}
.assertions{display:grid;gap:10px}
#monitor.form{max-width:900px}
.assertion{display:grid;grid-template-columns:repeat(5,minmax(0,1fr)) auto;gap:8px}
.assertion input,.assertion select{min-width:0;padding-inline:8px;font-size:.875rem}
.bullets{display:grid;gap:6px;padding-left:20px;list-style:disc}
.answer-parts{display:grid;grid-template-columns:minmax(0,1fr);gap:4px;max-height:340px;overflow:auto;padding:10px;border:1px solid var(--line);border-radius:8px;background:var(--sunk)}
.answer-parts h4{margin-top:8px;font:600 var(--note)/1.4 var(--sans)}
.answer-parts button{justify-content:flex-start;white-space:normal;overflow-wrap:anywhere;min-height:26px;padding:2px 8px;border:0;background:none;color:var(--text);font:400 .8125rem/1.4 var(--mono);text-align:start}
.answer-parts button:hover{background:var(--surface)}
.answer-parts b{font-weight:600;color:var(--accent)}
.pulse{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--accent);animation:pulse 1.2s infinite}
@keyframes pulse{50%{opacity:.25}}
@container(max-width:940px){
.fit-many>.monitors td.box{position:absolute;top:10px;inset-inline-end:16px;width:auto}
.fit-many>.monitors td.lead{padding-inline-end:36px}
}
@media(max-width:720px){
.assertion{grid-template-columns:repeat(2,minmax(0,1fr))}
.bulk-bar .buttons{margin-left:0}
.bulk-bar{position:sticky;top:57px;z-index:5;background:var(--surface)}
.bulk:not(:has([name=_row]:checked)) .bulk-bar{display:none}
.bulk-bar input,.bulk-bar select,.bulk-bar button{min-height:40px}
}
`
