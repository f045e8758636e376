/** Rules of the views of monitors: the list, the form, and the strip of states, chart, waterfall and evidence of one. */

export const monitorStyle = `
.is-good.mark,.is-warn.mark,.is-bad.mark,.is-calm.mark,.is-none.mark,.is-partial.mark{fill:var(--s)}
.strip{width:100%;height:56px}
.rail{fill:var(--sunk)}
.segments{display:inline-flex;flex-wrap:wrap;gap:2px;padding:2px;border:1px solid var(--line);border-radius:9px;background:var(--sunk)}
.segments a,.segments button{min-height:28px;padding:3px 11px;border:0;border-radius:7px;background:none;color:var(--muted);font:560 var(--note)/1.5 var(--sans);text-decoration:none;cursor:pointer}
.segments a:hover,.segments button:hover{color:var(--text);filter:none}
.segments [aria-current],.segments [aria-pressed=true]{background:var(--surface);color:var(--text);box-shadow:0 1px 2px rgb(0 0 0/.14)}
@media(max-width:56.25rem){.segments a,.segments button{min-height:40px;padding:8px}.segments a{display:inline-flex;align-items:center}}
@media(max-width:26.25rem){.segments :is(a,button){padding-inline:6px}}
.chart-bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:8px 16px;margin-bottom:10px}
.tall{max-height:420px;overflow:auto}
.chart-bar .buttons{gap:8px}
.chart-bar .segments button{white-space:nowrap}
.segments button:disabled{opacity:.5;cursor:default}
@media(scripting:none){.scripted{display:none}}
.chart{min-width:0}
.chart-legend{display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px;min-height:30px;margin-bottom:8px;color:var(--muted);font-size:var(--note);font-variant-numeric:tabular-nums}
.chart-legend b{color:var(--text);font-weight:600}
.chart-legend .at{display:inline-block;min-width:104px;font-weight:500;color:var(--muted)}
.chart-legend button{min-height:26px;gap:5px;padding:1px 6px;border:0;background:none;color:var(--muted);font:inherit}
.chart-legend button:hover{background:var(--sunk);filter:none}
.chart-legend button[aria-pressed=false] .line-key{opacity:.25}
.chart-legend :is(li>span,button){display:inline-flex;align-items:center;gap:5px}
.chart-legend small{font-size:var(--small)}
@media(scripting:none){.chart-legend button{pointer-events:none}}
.line-key{flex:none;width:12px;height:4px;border-radius:2px;background:var(--line-color)}
.line-key.goal{height:0;border-radius:0;border-top:2px dashed var(--warn-text)}
.line-key.failed{background:var(--major)}
.c0{--c:#2f6fed}.c1{--c:#e0570b}.c2{--c:#0f9d8a}.c3{--c:#9b51e0}.c4{--c:#c27803}.c5{--c:#d92d70}.c6{--c:#5b7083}.c7{--c:#1a9550}.c8{--c:#8a5a2b}.c9{--c:#4b4fd9}
.c0,.c1,.c2,.c3,.c4,.c5,.c6,.c7,.c8,.c9{--line-color:color-mix(in srgb,var(--c) 82%,var(--text))}
.plot{position:relative;display:grid;grid-template-columns:auto minmax(0,1fr)}
.plot-x{touch-action:pan-y;cursor:crosshair;user-select:none}
.plot svg{display:block}
.plot .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.plot .tick{fill:var(--muted);font:500 12px/1 var(--sans)}
.plot .tick.day{fill:var(--text);font-weight:650}
.plot .line,.plot .dots,.plot .deploy,.plot .cursor,.plot line.goal{fill:none;vector-effect:non-scaling-stroke;stroke-linecap:round;stroke-linejoin:round}
.plot .line{stroke:var(--line-color);stroke-width:2}
.plot .line.before{stroke-width:1.5;stroke-dasharray:2 5;opacity:.8}
.plot .dots{stroke:var(--line-color);stroke-width:5}.plot .dots.at{stroke-width:9}
.plot .area{fill:var(--line-color);opacity:.13}
.plot .phase{fill:var(--line-color);opacity:.72}
.plot line.goal{stroke:var(--warn-text);stroke-width:1.5;stroke-dasharray:6 5}
.plot .deploy{stroke:var(--accent);stroke-width:1.5;stroke-dasharray:3 4}
.plot .cursor{stroke:var(--muted);stroke-width:1}
.plot .band.incident{fill:var(--major);opacity:.1}.plot .band.maintenance{fill:var(--maintenance);opacity:.12}
.plot .failed{fill:var(--major)}
.plot .dragged{fill:var(--accent);opacity:.18}
.sign circle{fill:var(--surface);stroke:var(--s);stroke-width:1.8}
.sign path{fill:none;stroke:var(--s);stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}
.sign text{fill:var(--t);font:700 11px/1 var(--sans)}
.sign:hover circle{fill:color-mix(in srgb,var(--s) 22%,var(--surface))}
:is(.sign,.sign-note).incident{--s:var(--major);--t:var(--bad-text)}
:is(.sign,.sign-note).maintenance{--s:var(--maintenance);--t:var(--calm-text)}
:is(.sign,.sign-note).deploy{--s:var(--accent);--t:var(--accent)}
.scrub{position:absolute;inset:auto 0 0 58px;width:calc(100% - 58px);min-height:24px;height:24px;margin:0;padding:0;border:0;opacity:0;pointer-events:none}
.plot:has(.scrub:focus-visible){outline:2px solid var(--accent);outline-offset:3px;border-radius:6px}
#happened h3{font:620 var(--note)/1.4 var(--sans);color:var(--muted)}
.happened li{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;padding:5px 0}
.happened .what{min-width:0;color:var(--text);overflow-wrap:anywhere}
.year{display:grid;grid-template-columns:repeat(auto-fill,minmax(124px,1fr));gap:20px 18px}
.uptime-month{min-width:0;max-width:190px}
.uptime-month figcaption{display:grid;margin-bottom:6px;font-size:var(--small);color:var(--muted)}
.uptime-month figcaption b{color:var(--text);font-variant-numeric:tabular-nums}
.uptime-month svg{display:block;width:100%}
.soft{opacity:.5}
.is-none.soft{opacity:.28}
.calendar-legend{display:flex;flex-wrap:wrap;gap:4px 16px}
.sign-note{flex:none;min-width:92px;color:var(--t);font:600 var(--small)/1.5 var(--sans)}
@media(max-width:45rem){.plot .second{display:none}.chart-bar .segments button{padding-inline:9px}}
.fall{display:grid;grid-template-columns:max-content minmax(0,1fr) max-content;gap:8px 14px;align-items:center}
.fall svg{width:100%;height:14px}.fall .bar{fill:var(--accent)}
.run-steps{display:grid;gap:2px;padding:0;list-style:none}
.run-steps>li{display:grid;grid-template-columns:minmax(86px,max-content) minmax(0,1fr) max-content;gap:3px 12px;align-items:center;padding:7px 0;border-top:1px solid var(--line)}
.run-steps>li:first-child{border-top:0}
.step-name{min-width:0;overflow-wrap:anywhere}
.run-steps svg,.run-steps .error{grid-column:2/-1;width:100%}
.run-steps svg{height:4px}
.run-steps .error{overflow-wrap:anywhere;font-size:var(--note)}
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
@media(max-width:45rem){
.assertion{grid-template-columns:repeat(2,minmax(0,1fr))}
}
`
