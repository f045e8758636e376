/** Rules of rows in an order and of the views of escalation policies. */
/** Lists whose rows have the same fields, so that the first row names them for all. */
const paged = ":is([data-rows=high],[data-rows=low])"

export const escalationStyle = `
.ordered{display:grid;gap:12px}
.ordered>button{justify-self:start}
.ordered-row{display:flex;gap:12px;align-items:flex-end;min-width:0}
.ordered-fields{flex:1;min-width:0;display:grid;gap:10px}
.ordered-tools{display:flex;gap:4px}
:is([data-rows=levels],[data-rows=layers]){counter-reset:level}
:is([data-rows=levels],[data-rows=layers])>.ordered-row{counter-increment:level;position:relative;padding:14px;border:1px solid var(--line);border-radius:var(--radius)}
[data-rows=levels]>.ordered-row>.ordered-fields::before{content:"Level " counter(level);font-weight:650}
[data-rows=layers]>.ordered-row>.ordered-fields::before{content:"Layer " counter(level);font-weight:650}
[data-rows=levels]>.ordered-row:first-child .wait{display:none}
:is([data-rows=levels],[data-rows=layers])>.ordered-row>.ordered-tools{position:absolute;top:10px;inset-inline-end:10px}
[data-rows=targets]{gap:6px}
[data-rows=targets]>.ordered-row{align-items:center}
[data-rows=targets] label{white-space:nowrap}
.wait .field{max-width:280px}
[data-rows=targets] .field{display:flex;align-items:center;gap:10px}
[data-rows=targets] .optional{display:none}
@media(min-width:45.0625rem){
${paged}{gap:6px}
${paged}>.ordered-row+.ordered-row .field>label:not(.choice){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
}
@media(max-width:45rem){
:is([data-rows=targets],[data-rows=high],[data-rows=low],[data-rows$=hours])>.ordered-row{flex-wrap:wrap;gap:6px 12px;padding-bottom:8px}
:is([data-rows=targets],[data-rows=high],[data-rows=low],[data-rows$=hours])>.ordered-row>.ordered-fields{flex:1 0 100%}
}
.levels-line{display:grid;gap:6px;margin-top:8px}
.levels-line li{display:flex;flex-wrap:wrap;align-items:center;gap:6px 8px}
`
