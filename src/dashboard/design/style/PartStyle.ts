/** Rules for panels, badges, figures, lists, tabs and what else views are made of. */
export const partStyle = `
.stack{display:grid;gap:22px;min-width:0}
.stack>*{min-width:0}
:where(.head,.notice,.event,.crumbs,.banner,.panel>header,.rows>li,.buttons,.pager,.tabs,.choice,.picked li,.levels-line li,.tags,.latency)>:where(div,span:not(.badge),p,b,bdi,h1,h2,h3,form,a:not(.button)){min-width:0}
.split{display:grid;grid-template-columns:minmax(0,2fr) minmax(17.5rem,1fr);gap:22px;align-items:start}
@media(max-width:67.5rem){.split{grid-template-columns:minmax(0,1fr)}}
.panel{border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
.panel>header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;padding:13px 18px;border-bottom:1px solid var(--line)}
.panel>header h2,.panel>header h3{font:640 1rem/1.35 var(--sans)}
.panel>header :is(form label,form .field>label){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.panel>.body{padding:16px 18px}
.panel>.body>*+*{margin-top:12px}
.rows>li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:6px 18px;padding:12px 18px}
.title,.tag,.crumbs a{unicode-bidi:isolate}
.rows>li+li{border-top:1px solid var(--line)}
.rows>li>div:first-child{min-width:0;flex:1 1 240px}
.rows a.title{color:var(--text);font-weight:600;text-decoration:none}
.rows a.title:hover{text-decoration:underline}
.event{display:flex;align-items:baseline;gap:10px}
.event .dot{width:9px;height:9px}
.event .tag{flex:none}
.event a{color:var(--text);text-decoration:none}
.event a:hover{text-decoration:underline}
.rows.events>li{padding-block:8px;font-size:.9375rem}
.empty{padding:34px 24px;text-align:center}
.empty h2{font:640 1.0625rem/1.35 var(--sans)}
.empty p{margin:6px auto 0;max-width:56ch;color:var(--muted)}
.empty .buttons{justify-content:center;margin-top:16px}

.badge{display:inline-flex;align-items:center;gap:6px;padding:1px 9px;border:1px solid var(--line);border-radius:99px;background:var(--surface);font:600 var(--small)/1.6 var(--sans);white-space:nowrap}
.badge::before{content:"";width:8px;height:8px;border-radius:50%;background:var(--s,var(--unknown))}
.badge.bare::before{display:none}
.is-good{--s:var(--operational);--t:var(--good-text)}.is-warn{--s:var(--degraded);--t:var(--warn-text)}.is-bad{--s:var(--major);--t:var(--bad-text)}
.is-partial{--s:var(--partial);--t:var(--bad-text)}.is-calm{--s:var(--maintenance);--t:var(--calm-text)}.is-none{--s:var(--unknown);--t:var(--muted)}
.badge[class*=is-]{border-color:color-mix(in srgb,var(--s) 42%,var(--line));background:color-mix(in srgb,var(--s) 10%,var(--surface));color:var(--t)}
.dot{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--s,var(--unknown));flex:none}
.tag{display:inline-block;max-width:100%;padding:0 8px;border:1px solid var(--line);border-radius:6px;background:var(--sunk);color:var(--muted);font-size:var(--small);line-height:1.65}
.banner{display:flex;flex-wrap:wrap;align-items:center;gap:14px 18px;padding:18px 20px;border:1px solid color-mix(in srgb,var(--s) 40%,var(--line));border-radius:var(--radius);background:color-mix(in srgb,var(--s) 9%,var(--surface))}
.banner.of-mail{gap:8px 14px;margin-bottom:16px;padding:7px 14px;font-size:.875rem}
.of-mail .dot{width:10px;height:10px}
.banner h2{font:660 1.125rem/1.35 var(--sans)}
.banner .dot{width:14px;height:14px}
.banner>div{min-width:0;flex:1 1 200px}
.banner>form{flex:none}

.figures{display:flex;flex-wrap:wrap;gap:1px;border:1px solid var(--line);border-radius:var(--radius);background:var(--line);overflow:hidden}
.figures>div{flex:1 1 140px;padding:14px 18px;background:var(--surface)}
.figures dt{color:var(--muted);font-size:var(--note)}
.figures dd{margin-top:2px;font:640 1.3125rem/1.3 var(--sans);letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.figures dd small{display:inline-block;color:var(--muted);font:400 var(--note)/1.4 var(--sans)}
.counts .figures>div{flex:1 1 96px;padding:10px 16px}
:is(#trouble,#pages,#deploys) .rows>li>div:first-child{flex-basis:180px}
.figures dd a{display:inline-block;min-width:24px;color:inherit;text-decoration:none}
.figures dd a:hover{text-decoration:underline}
.figures dd a.none{color:var(--muted);font-weight:500}
.figures .of-down{color:var(--bad-text)}.figures .of-degraded{color:var(--warn-text)}.figures .of-up{color:var(--good-text)}
.facts{display:grid;grid-template-columns:minmax(96px,max-content) minmax(0,1fr);gap:8px 20px}
.facts dt{color:var(--muted)}
.facts dd a{display:inline-block;padding-block:2px}
@media(max-width:35rem){.facts{grid-template-columns:1fr;gap:2px}.facts dd{margin-bottom:8px}}

.tabs{display:flex;flex-wrap:wrap;gap:2px 4px;border-bottom:1px solid var(--line);margin-bottom:18px}
.tabs a{padding:8px 12px;border-bottom:2px solid transparent;margin-bottom:-1px;color:var(--muted);font-weight:560;text-decoration:none}
.tabs a:hover{color:var(--text)}
.tabs.close{gap:2px 0}
.tabs.close a{padding-inline:8px;font-size:.9375rem}
.clamp{display:-webkit-box;overflow:hidden;overflow-wrap:anywhere;-webkit-box-orient:vertical;-webkit-line-clamp:3}
@media(max-width:35rem){.tabs{gap:0}.tabs a{padding-inline:9px}}
.tabs a[aria-current]{border-color:var(--accent);color:var(--text)}
.timeline{display:grid;gap:0}
.timeline>li{position:relative;padding:0 0 18px 22px}
.timeline>li::before{content:"";position:absolute;left:4px;top:7px;width:9px;height:9px;border-radius:50%;background:var(--s,var(--accent))}
.timeline>li:not(:last-child)::after{content:"";position:absolute;left:8px;top:18px;bottom:-4px;width:1px;background:var(--line)}
.letter{white-space:pre-wrap}
pre.block,.panel pre{padding:12px 14px;border:1px solid var(--line);border-radius:8px;background:var(--sunk);overflow:auto;font-size:.8125rem;line-height:1.5;white-space:pre-wrap}
.untrusted{position:relative;max-height:420px}
.call{font-size:var(--note)}
.call>summary{padding-block:3px;color:var(--muted);cursor:pointer;width:max-content;max-width:100%}
.call>summary:hover{color:var(--text)}
.call>div{display:grid;gap:10px;margin-top:10px;padding:12px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
.call h4{display:flex;align-items:center;justify-content:space-between;font:600 var(--note)/1.4 var(--sans)}
.calls{margin-top:32px;font-size:var(--note)}
.calls>summary{padding-block:3px;width:max-content;color:var(--muted);cursor:pointer}
.calls>.stack{gap:10px;margin-top:12px}
.keys{display:grid;grid-template-columns:max-content 1fr;gap:8px 12px;align-items:center}
.body:has(>.keys){grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:9px 20px}
.body:has(>.keys) h2{grid-column:1/-1;margin:0}
kbd{padding:1px 7px;border:1px solid var(--line);border-bottom-width:2px;border-radius:6px;background:var(--sunk);font-size:.8125rem}
dialog{width:min(620px,calc(100vw - 32px));max-height:80vh;padding:0;border:1px solid var(--line);border-radius:14px;background:var(--surface);color:var(--text);box-shadow:var(--shadow)}
dialog::backdrop{background:rgb(8 12 20/.5)}
dialog .body{padding:18px}
dialog h2{font:650 1.0625rem/1.4 var(--sans);margin-bottom:12px}
.palette input{border:0;border-bottom:1px solid var(--line);border-radius:14px 14px 0 0;min-height:50px;padding:10px 18px;font-size:1.0625rem}
dialog:has(>.palette){margin-top:12vh}
.palette .note{flex:none}
.palette ul{max-height:52vh;overflow:auto;padding:6px}
.palette li{display:flex;align-items:center;justify-content:space-between;gap:12px;padding:8px 12px;border-radius:8px;cursor:pointer}
.palette li[aria-selected=true]{background:var(--sunk)}
.bars{display:flex;gap:2px;height:26px}
.bars i{flex:1;min-width:2px;border-radius:2px;background:var(--s,var(--unknown))}
.panel>header>a{padding-block:2px}
@media(max-width:56.25rem){.call>summary,.calls>summary{padding-block:8px}.panel>header>a{padding-block:8px}.tabs a{padding-block:10px}}
`
