/** Rules for tables; on a phone each row becomes a card whose cells name themselves. */
export const tableStyle = `
.table{width:100%;border-collapse:collapse;font-size:.9375rem}
.table td{overflow-wrap:break-word}
.table td.lead,.table td.named{min-width:150px;overflow-wrap:anywhere}
.table th,.table td{padding:10px 14px;border-bottom:1px solid var(--line);text-align:start;vertical-align:middle}
.table tbody tr:last-child td{border-bottom:0}
.table thead th{color:var(--muted);font:600 var(--small)/1.4 var(--sans);white-space:nowrap;background:var(--surface)}
.table tbody tr:hover{background:color-mix(in srgb,var(--sunk) 60%,transparent)}
.table td.end,.table th.end{text-align:end}
.table td a.title{color:var(--text);font-weight:600;text-decoration:none}
.table td a.title:hover{text-decoration:underline}
.scroll{overflow-x:auto}
.pager{display:flex;align-items:center;justify-content:space-between;gap:12px;padding:12px 18px;border-top:1px solid var(--line);color:var(--muted);font-size:var(--note)}
.filters{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end;padding:12px 18px;border-bottom:1px solid var(--line)}
.filters .field{flex:0 1 170px}
.filters .field.grow{flex:1 1 220px}
@media(max-width:720px){
.filters .field{flex:1 1 120px}
.filters .field:has([type=date]){flex-basis:145px}
.table.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.table.cards,.table.cards tbody,.table.cards tr,.table.cards td{display:block}
.table.cards tr{padding:12px 16px;border-bottom:1px solid var(--line)}
.table.cards tr:last-child{border-bottom:0}
.table.cards td{display:flex;justify-content:space-between;gap:16px;padding:3px 0;border:0;text-align:end}
.table.cards td[data-label]::before{content:attr(data-label);color:var(--muted);font-size:var(--note);text-align:start}
.table.cards td.lead,.table.cards td.named{min-width:0}
.table.cards td.lead{display:block;text-align:start;padding-bottom:4px}
}
`
