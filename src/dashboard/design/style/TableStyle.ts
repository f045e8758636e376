/** Rules for tables; where the columns have no room side by side, each row becomes a block whose cells name themselves. */

/** The width, in rem, that columns of such a number need to stand side by side. */
const roomFor = [["few", 32.5], ["some", 51.875], ["many", 58.75], ["most", 70]] as const

const buttons = "td:not([data-label],.lead,.box,:empty)"

/** A row as a block: its lead on a line of its own, the other cells with their names below, its buttons at the end. */
const asBlocks = (table: string) => `
${table} thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
${table},${table} tbody,${table} td{display:block}
${table} tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.375rem,1fr));gap:8px 12px;align-items:start;padding:12px 14px;border-bottom:1px solid var(--line);position:relative}
${table} tbody tr:last-child{border-bottom:0}
${table} td,${table} td.lead{min-width:0;width:auto;padding:0;border:0;text-align:start;white-space:normal}
${table} td[data-label]::before{content:attr(data-label);display:block;color:var(--muted);font-size:var(--small)}
${table} td:is(.lead,.named,:has(form,.confirm[open],details.remove[open])){grid-column:1/-1;min-width:0}
${table} ${buttons}{grid-column:1/-1;text-align:end}
${table} td:is(:empty,[data-none]){display:none}
${table} td :is(.badge,.nowrap,time){white-space:normal}
${table} form.inline{min-width:0}
${table} .confirm[open]>.panel{position:static;width:auto}
`

/** In a block that is wide enough, the buttons stand beside the lead. */
const besideLead = (table: string) =>
  `${table} tr{padding-inline:18px}
${table} td[data-label]:is(.named,:has(form:not(.inline))){grid-column:span 2}
${table} tr:not(:has(details[open])):has(>${buttons})>td.lead{grid-column:1/-3}
${table} tr:not(:has(details[open]))>${buttons}{grid-column:span 2/-1;grid-row:1}
`

export const tableStyle = `
.table{width:100%;border-collapse:collapse;font-size:.9375rem}
.fit{container-type:inline-size}
.fit:has(details[open]){position:relative;z-index:1}
.table td.lead{width:40%;min-width:214px;overflow-wrap:anywhere}
.table td.lead:has(>a>time){width:auto;white-space:nowrap}
.table td.named{min-width:200px;overflow-wrap:anywhere}
.table th,.table td{padding:10px 14px;border-bottom:1px solid var(--line);text-align:start;vertical-align:middle}
.fit tr>:first-child{padding-inline-start:18px}
.fit tr>:last-child{padding-inline-end:18px}
.table tbody tr:last-child td{border-bottom:0}
.table thead th{color:var(--muted);font:600 var(--small)/1.4 var(--sans);white-space:nowrap;background:var(--surface)}
.table tbody tr:hover{background:color-mix(in srgb,var(--sunk) 60%,transparent)}
.table td.end,.table th.end{text-align:end}
.table td a.title{color:var(--text);font-weight:600;text-decoration:none}
.table td a.title:hover{text-decoration:underline}
.table form.inline{min-width:220px;max-width:340px}
.table .confirm{position:relative}
.table .confirm[open]>.panel{position:absolute;z-index:9;top:100%;inset-inline-end:0;width:380px;text-align:start;box-shadow:var(--shadow)}
.scroll{overflow-x:auto}
.pager{display:flex;align-items:center;justify-content:space-between;gap:12px;padding:12px 18px;border-top:1px solid var(--line);color:var(--muted);font-size:var(--note)}
.filters{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end;padding:12px 18px;border-bottom:1px solid var(--line)}
.filters .field{flex:0 1 170px}
.filters .field.grow{flex:1 1 220px}
@media(scripting:enabled){[data-auto] [data-redundant]{display:none}}
@media(max-width:45rem){
.filters .field{flex:1 1 120px}
.filters .field:has([type=date]){flex-basis:145px}
}
${
  roomFor.map(([columns, width]) => {
    const table = `.fit-${columns}>.table`
    return `@container(max-width:${width}rem){${asBlocks(table)}}@container(min-width:28.75rem) and (max-width:${width}rem){${
      besideLead(table)
    }}`
  }).join("")
}
`
