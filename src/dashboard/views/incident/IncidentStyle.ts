/** Rules of the views of incidents and maintenance: the situation, the actions, the timeline, the calendar, differences. */
export const incidentStyle = `
.situation>div>*+*{margin-top:6px}
.situation .what{font:700 1.25rem/1.3 var(--sans);letter-spacing:-.01em}
.situation h2{margin-top:12px}
.situation form{margin-top:4px}
.acts{position:relative;display:flex;flex-wrap:wrap;gap:10px}
.acts :is(button,summary.button){min-height:44px;padding-inline:18px}
.acts summary{list-style:none}
.acts summary::-webkit-details-marker{display:none}
.acts [open]>summary{outline:2px solid var(--accent);outline-offset:-2px}
.acts .up{position:absolute;z-index:20;inset-inline-start:0;top:calc(100% + 6px);width:min(560px,100%);max-height:70vh;overflow:auto;box-shadow:var(--shadow)}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(132px,1fr));overflow:hidden}
.sides>li{display:grid;gap:4px;align-content:start;justify-items:start;padding:12px 16px;box-shadow:1px 1px 0 var(--line)}
.strip.around{height:90px}
.axis{display:flex;justify-content:space-between}
.strip.around .begin{fill:var(--text)}
.panel>header .inline{flex-wrap:nowrap}
.panel>header .inline .field{flex:1 1 120px}
.choose{display:flex;flex-wrap:wrap;gap:4px}
.choose a{min-height:24px;padding:2px 10px;border-radius:6px;color:var(--muted);font-size:var(--note);font-weight:560;text-decoration:none}
.choose a:hover{color:var(--text)}
.choose a[aria-current]{background:var(--sunk);color:var(--text)}
.timeline .who{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;margin-bottom:4px}
.timeline .md{max-width:78ch}
.timeline li.internal .md{padding:10px 14px;border:1px dashed color-mix(in srgb,var(--degraded) 60%,var(--line));border-radius:8px;background:color-mix(in srgb,var(--degraded) 7%,var(--surface))}
.timeline li.internal{--s:var(--degraded)}
.timeline .paged .who{margin-bottom:0}
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
@media(max-width:45rem){
.acts{position:fixed;z-index:25;inset-inline:0;bottom:0;gap:6px;padding:8px max(12px,env(safe-area-inset-right)) calc(8px + env(safe-area-inset-bottom)) max(12px,env(safe-area-inset-left));border-top:1px solid var(--line);background:var(--surface);box-shadow:0 -4px 18px rgb(0 0 0/.12)}
.acts>*{flex:1 1 auto;min-width:0}.acts>.first{flex:1 0 100%}
.acts :is(.first>button,summary.button){width:100%;min-height:48px;padding-inline:6px;font-size:.8125rem}
.acts .first>:is(button,summary.button){min-height:56px;font-size:1.0625rem}
.acts .up{inset-inline:8px;top:auto;bottom:calc(100% + 6px);width:auto;max-height:calc(100vh - 240px);max-height:calc(100dvh - 240px)}
.main:has(.acts){padding-bottom:calc(190px + env(safe-area-inset-bottom))}
.main:has(.acts)>.of-mail{display:none}
.main:has(.acts) .head{margin-bottom:14px}.main:has(.acts) .head h1{font-size:1.25rem}
.situation{padding:14px 16px}.situation .what{font-size:1.125rem}.situation h2{margin-top:8px;font-size:1.0625rem}
html:has(.acts){scroll-padding-bottom:170px}
.month th{padding:4px 0;font-size:.75rem}.month td{height:56px;padding:2px}
.month a.window{height:24px;padding:0;background:var(--s,var(--maintenance))}.month a.window span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
}
`
