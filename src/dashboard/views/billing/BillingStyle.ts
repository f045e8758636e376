/** The meters of the usage view, and the depth of delegated keys. */
export const billingStyle = `
.plain-list{list-style:disc;padding-inline-start:20px}
.panel h3{font:620 .9375rem/1.4 var(--sans)}
.items{max-height:420px;overflow:auto}
.changes{margin-top:6px;display:grid;gap:4px;font-size:var(--note)}
.changes del{color:var(--bad-text)}
.changes ins{color:var(--good-text);text-decoration:none}
.meter{display:block;width:100%;max-width:320px;height:6px;margin-top:6px;border:0;border-radius:99px;background:var(--sunk);accent-color:var(--accent);appearance:none}
.meter::-webkit-progress-bar{border-radius:99px;background:var(--line)}
.meter::-webkit-progress-value{border-radius:99px;background:var(--accent)}
.meter::-moz-progress-bar{border-radius:99px;background:var(--accent)}
.table td.depth-1{padding-inline-start:36px}
.table td.depth-2{padding-inline-start:60px}
.table td.depth-3{padding-inline-start:84px}
`
