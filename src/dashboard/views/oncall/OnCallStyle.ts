/** Rules of the views of on-call schedules. */
export const onCallStyle = `
.calendar-weeks{display:flex;flex-wrap:wrap;gap:4px 14px}
.calendar{width:100%;min-width:680px;border-collapse:collapse;table-layout:fixed}
.calendar th{padding:6px 4px;color:var(--muted);font:600 var(--small)/1.4 var(--sans);text-align:start}
.calendar td{height:84px;padding:6px 0 8px;border:1px solid var(--line);vertical-align:top;font-size:var(--small);user-select:none}
.calendar td.today{background:color-mix(in srgb,var(--accent) 8%,transparent)}
.calendar td.today .date{color:var(--accent);font-weight:700}
.calendar td.chosen{box-shadow:inset 0 0 0 2px var(--accent)}
.calendar[data-drag] td{cursor:cell}
.calendar .date{padding:0 8px;color:var(--muted)}
.calendar .shift{display:block;padding:0 8px;overflow:hidden;text-overflow:ellipsis}
.calendar .bar{display:block;width:100%;margin:4px 0 5px;background:var(--sunk)}
.calendar td,.scroll:has(.calendar){position:relative}
@media(max-width:45rem){
.calendar{min-width:0}
.calendar thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.calendar,.calendar tbody,.calendar tr{display:block}
.calendar td{display:grid;grid-template-columns:100px minmax(0,1fr);align-items:baseline;gap:0 12px;height:auto;padding:10px 2px;border-width:1px 0 0}
.calendar td:not(:has(.shift)){display:none}
.calendar td::before{content:attr(data-date);grid-row:1/span 9;color:var(--muted)}
.calendar td>*{grid-column:2;padding:0}
.calendar .bar{order:1;margin:5px 0 0}
.calendar .date,.calendar-hint{display:none}
}
.calendar .gap{color:var(--bad-text)}.nobody{fill:var(--major)}
.person-0{fill:#2f6fed}.person-1{fill:#0f9d76}.person-2{fill:#c2600b}.person-3{fill:#9b4bd8}.person-4{fill:#c23a6b}.person-5{fill:#5d7a1f}
`
