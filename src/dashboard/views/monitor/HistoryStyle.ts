/** Rules of the views of one monitor: its strip of states, chart, waterfall and evidence. */
export const historyStyle = `
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
`
