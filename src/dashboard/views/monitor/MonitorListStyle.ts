/** Rules of the list of monitors: rows of 40 pixels, two lines each on a phone, groups, saved views, and the bar of changes. */

export const monitorListStyle = `
.head:has(+.tabs+[data-island=views]){margin-bottom:0}
.tabs:has(+[data-island=views]){margin-bottom:8px}
.tabs:has(+[data-island=views]) a{padding-block:6px}
.filters.tight{gap:6px;align-items:center;padding:6px 12px}
.filters-more{display:contents}
.filters.tight :is(input,select){flex:0 1 auto;width:auto;min-width:0;min-height:30px;padding:3px 8px;font-size:.875rem}
.filters.tight input{flex:0 1 120px}
.filters.tight input.grow{flex:1 1 180px}
.monitor-list{container-type:inline-size}
.monitors{table-layout:fixed;font-size:.875rem}
.monitors :is(th,td){height:40px;padding:0 10px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.monitors thead th{height:28px;padding-block:0}
.monitors thead a{display:inline-flex;align-items:center;min-height:26px;color:inherit;text-decoration:none}
.monitors thead a:hover{color:var(--text);text-decoration:underline}
.monitors tr:focus-within{background:color-mix(in srgb,var(--accent) 9%,transparent)}
.monitors tr:has([name=_row]:checked){background:color-mix(in srgb,var(--accent) 13%,transparent)}
.monitors .box{width:40px;padding:0 0 0 12px}
.monitors .box input{width:18px;height:18px;margin:3px}
.monitors td.lead{min-width:0}
.monitors td:is(.lead,.state,.last)>*{vertical-align:middle}
.monitors .lead .title{display:inline-block;max-width:100%;padding-block:4px;overflow:hidden;text-overflow:ellipsis}
.monitors .tags{display:inline-flex;gap:4px;margin:0 0 0 8px}
.monitors .tags .tag{max-width:110px;line-height:24px;overflow:hidden;text-overflow:ellipsis;text-decoration:none}
.monitors .lead .address{margin-inline-start:8px}
.monitors .lead .address wbr{display:none}
.monitors .long{display:inline;min-width:0}
.monitors .badge{padding:0 7px}
.monitors .state .note{margin-inline-start:7px}
.monitors .last .note:not(:first-child){margin-inline-start:7px}
.monitors th:nth-last-child(5){width:202px}
.monitors th:nth-last-child(4){width:164px}
.monitors th.end{width:86px}
.monitors th:last-child{width:19%}
.hours{width:142px;height:22px}
.hours .mark.is-none{fill:color-mix(in srgb,var(--unknown) 35%,var(--surface))}
.bulk-bar{position:sticky;bottom:0;z-index:8;display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:9px 14px;border-top:1px solid var(--line);background:var(--surface);box-shadow:0 -6px 18px rgb(16 24 40/.1)}
.bulk:not(:has([name=_row]:checked)):not(:has(.issue)) .bulk-bar{display:none}
.bulk-bar [data-selected]{margin-inline-end:4px;font-weight:600}
.bulk-bar [data-selected]:empty{display:none}
.bulk-more>summary{list-style:none}
.bulk-more>summary::-webkit-details-marker{display:none}
.bulk-more>.panel{position:absolute;z-index:9;bottom:calc(100% + 6px);inset-inline-start:12px;display:grid;gap:8px;width:min(440px,calc(100% - 24px));max-height:60vh;overflow:auto;padding:14px;box-shadow:var(--shadow)}
.bulk-more .inline-field{display:grid;grid-template-columns:88px minmax(0,1fr) auto auto;gap:6px;align-items:center}
.bulk-more .inline-field :is(input,select){min-height:32px;padding:3px 9px;font-size:.875rem}
.bulk-more .legend{font-size:.875rem}
.bulk>.wrong{margin:12px 18px}
.groups>li+li{border-top:1px solid var(--line)}
.groups .group{display:flex;flex-wrap:wrap;align-items:center;gap:2px 10px;min-height:40px;padding:4px 16px;color:var(--text);text-decoration:none}
.groups .group:hover,.groups .group[aria-expanded=true]{background:var(--sunk)}
.views{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:0 0 8px}
.views span{display:inline-flex;align-items:center;border:1px solid var(--line);border-radius:99px;background:var(--surface)}
.views span a{padding:2px 4px 2px 12px;color:var(--text);font-size:.875rem;font-weight:560;text-decoration:none}
.views span a[aria-current]{color:var(--accent)}
.views span button.plain{min-height:26px;padding:0 9px;border:0;background:none;color:var(--muted)}
.views form{display:flex;gap:6px}
.views input{width:170px;min-height:30px;padding:3px 9px;font-size:.875rem}
@container(max-width:73.75rem){.monitors .lead .address{display:none}}
@container(max-width:63.75rem){
.monitors .tags,.monitors .state .note{display:none}
.monitors th:nth-last-child(5){width:112px}
.monitors th:last-child{width:20%}
}
@container(max-width:55rem){
.monitors :is(th,td):last-child{display:none}
.monitors th.end{width:92px}
.monitors .end+.end{padding-inline-end:18px}
}
@container(max-width:38.75rem){
.monitors thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.monitors,.monitors tbody{display:block}
.monitors tr{display:grid;grid-template-columns:auto minmax(0,1fr) 1.25rem 1.9rem 4rem;grid-template-areas:"box lead lead state state" "box day up up ms";gap:0 10px;align-items:center;padding:7px 12px;border-bottom:1px solid var(--line)}
.monitors td{display:block;height:auto;padding:0;border:0}
.monitors td.box{grid-area:box;width:auto;padding:0}
.monitors td.box input{width:24px;height:24px}
.monitors tr:not(:has(.box)){grid-template-areas:"lead lead lead state state" "day day up up ms"}
.monitors td.lead{grid-area:lead}
.monitors td.state{grid-area:state;text-align:end}
.monitors td.day{grid-area:day}
.monitors .hours{width:100%;max-width:170px;height:16px}
.monitors td.day+td.end{grid-area:up}
.monitors td.end{font-size:.8125rem;color:var(--muted);white-space:nowrap}
.monitors .end+.end{padding:0}
}
@media(max-width:35rem){
.bulk-more .inline-field{grid-template-columns:minmax(0,1fr) auto auto;gap:2px 6px}
.bulk-more .legend{grid-column:1/-1}
}
@media(max-width:56.25rem){
.bulk-bar :is(button,.button),.bulk-more .inline-field :is(input,select){min-height:40px}
.tabs:has(+[data-island=views]) a{padding-block:10px}
.filters.tight :is(input,select,button,.button){min-height:40px}
.filters-more{display:flex;flex:1 1 100%;flex-wrap:wrap;gap:6px;min-width:0}
.filters-more :is(select,input){flex:1 1 130px}
.filters.tight input.grow{flex:1 1 100%}
.groups .group{min-height:44px}
}
`
