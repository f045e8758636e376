/** Rules of the views of monitors: the list, the form, and the strip of states, chart, waterfall and evidence of one. */

export const monitorStyle = `
.is-good.mark,.is-warn.mark,.is-bad.mark,.is-calm.mark,.is-none.mark,.is-partial.mark{fill:var(--s)}
.strip{width:100%;height:56px}
.strip .deploy{fill:var(--accent)}
.rail{fill:var(--sunk)}
.axis{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 12px}
.axis span{white-space:nowrap}
.segments{display:inline-flex;flex-wrap:wrap;gap:2px;padding:2px;border:1px solid var(--line);border-radius:9px;background:var(--sunk)}
.segments a,.segments button{min-height:28px;padding:3px 11px;border:0;border-radius:7px;background:none;color:var(--muted);font:560 var(--note)/1.5 var(--sans);text-decoration:none;cursor:pointer}
.segments a:hover,.segments button:hover{color:var(--text);filter:none}
.segments [aria-current],.segments [aria-pressed=true]{background:var(--surface);color:var(--text);box-shadow:0 1px 2px rgb(0 0 0/.14)}
@media(max-width:900px){.segments a,.segments button{min-height:40px;padding:8px}.segments a{display:inline-flex;align-items:center}}
.chart-bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:8px 16px;margin-bottom:10px}
.chart{min-width:0;overflow:hidden}
@media(scripting:enabled){[data-island=chart]{min-height:374px}}
.tall{max-height:420px;overflow:auto}
.u-wrap{position:relative;user-select:none}.u-over,.u-under{position:absolute}.u-under{overflow:hidden}
.uplot canvas{display:block;position:relative;width:100%;height:100%}
.u-axis{position:absolute}.u-select{background:color-mix(in srgb,var(--accent) 18%,transparent);position:absolute;pointer-events:none}
.u-cursor-x,.u-cursor-y{position:absolute;left:0;top:0;pointer-events:none}
.u-cursor-x{height:100%;border-right:1px dashed var(--muted)}.u-cursor-y{width:100%;border-bottom:1px dashed var(--muted)}
.u-cursor-pt{position:absolute;top:0;left:0;border-radius:50%;border:0 solid;pointer-events:none;background-clip:padding-box!important}
.u-axis.u-off,.u-select.u-off,.u-cursor-x.u-off,.u-cursor-y.u-off,.u-cursor-pt.u-off{display:none}
.u-legend{width:100%;margin:6px 0 0;font-size:var(--note);text-align:start;font-variant-numeric:tabular-nums}
.u-legend tr.u-series{display:inline-flex;align-items:center;margin-inline-end:16px}
.u-legend th{display:inline-flex;align-items:center;gap:6px;font-weight:500;cursor:pointer}.u-legend td{padding-inline-start:6px;color:var(--muted)}
.u-legend .u-marker{width:12px;height:12px;border-radius:3px}.u-legend .u-off>*{opacity:.4}
.fall{display:grid;grid-template-columns:max-content minmax(0,1fr) max-content;gap:8px 14px;align-items:center}
.fall svg{width:100%;height:14px}.fall .bar{fill:var(--accent)}
.shot{max-width:100%;height:auto;border:1px solid var(--line);border-radius:8px}
.log{display:grid;gap:2px;font:.8125rem/1.5 var(--mono)}
.log .warn{color:var(--warn-text)}.log .error{color:var(--bad-text)}
.banner .actions{flex:0 0 auto}
.block{display:block}
.tabs .count{margin-left:3px;color:var(--muted);font-weight:500;font-size:var(--small)}
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
.bullets{display:grid;gap:6px;padding-inline-start:20px;list-style:disc}
.answer-parts{display:grid;grid-template-columns:minmax(0,1fr);gap:4px;max-height:340px;overflow:auto;padding:10px;border:1px solid var(--line);border-radius:8px;background:var(--sunk)}
.answer-parts h4{margin-top:8px;font:600 var(--note)/1.4 var(--sans)}
.answer-parts button{justify-content:flex-start;white-space:normal;overflow-wrap:anywhere;min-height:26px;padding:2px 8px;border:0;background:none;color:var(--text);font:400 .8125rem/1.4 var(--mono);text-align:start}
.answer-parts button:hover{background:var(--surface)}
.answer-parts b{font-weight:600;color:var(--accent)}
.pulse{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--accent);animation:pulse 1.2s infinite}
@keyframes pulse{50%{opacity:.25}}
@media(max-width:720px){
.assertion{grid-template-columns:repeat(2,minmax(0,1fr))}
}
`
