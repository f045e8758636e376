/** Rules for the document and the frame of every view: navigation, header, notices. */
export const frameStyle = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scrollbar-gutter:stable}
body{margin:0;padding-inline:env(safe-area-inset-left) env(safe-area-inset-right);background:var(--bg);color:var(--text);font:.9375rem/1.5 var(--sans);overflow-wrap:break-word;-webkit-font-smoothing:antialiased}
h1,h2,h3,h4,p,ol,ul,dl,dd,figure,pre{margin:0;padding:0}
ol,ul{list-style:none}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
svg{display:block;flex:none}
code,pre,kbd,samp{font-family:var(--mono);font-size:.9em}
code,pre{overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}
.skip{position:absolute;left:-9999px}
.skip:focus{left:16px;top:12px;z-index:99;padding:8px 14px;background:var(--surface);border-radius:8px}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.note{color:var(--muted);font-size:var(--note)}
.small{font-size:var(--small)}
.muted{color:var(--muted)}
.mono{font-family:var(--mono);font-size:.9em}
.nowrap{white-space:nowrap}
.breaks,.long{overflow-wrap:anywhere}
.long{display:inline-block;min-width:9rem;vertical-align:top;text-decoration:inherit}
.shortened{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.num{font-variant-numeric:tabular-nums}

.brand{display:flex;align-items:center;gap:9px;color:var(--text);font:680 1.0625rem/1.3 var(--sans);letter-spacing:-.01em;text-decoration:none}
.brand svg{width:22px;height:22px;color:var(--accent)}
.shell{display:grid;grid-template-columns:var(--side) minmax(0,1fr);min-height:100vh}
.side{position:sticky;top:0;height:100vh;display:flex;flex-direction:column;gap:2px;padding:14px 12px;border-right:1px solid var(--line);background:var(--surface);overflow-y:auto}
.side .brand{padding:2px 10px 10px}
.find{display:flex;justify-content:flex-start;gap:10px;width:100%;min-height:34px;margin-bottom:6px;padding:4px 10px;font-weight:500;font-size:.9375rem}
.find:is(button.plain){color:var(--muted)}
.find svg{width:17px;height:17px}
.find kbd{margin-inline-start:auto;font-size:.75rem}
.find.icon{width:auto;min-height:40px;margin:0}
.find.icon :is(span,kbd){display:none}
.sheet .find{display:none}
.side h2{margin:11px 10px 2px;color:var(--muted);font:600 .75rem/1.4 var(--sans);letter-spacing:.02em}
.side nav a{display:flex;align-items:center;gap:10px;padding:5px 10px;border-radius:8px;color:var(--text);font-weight:500;font-size:.9375rem;line-height:1.4;text-decoration:none}
.side nav a svg{width:17px;height:17px;color:var(--muted)}
.side nav a:hover{background:var(--sunk)}
.side nav a[aria-current]{background:color-mix(in srgb,var(--accent) 12%,transparent);color:var(--text);font-weight:600}
.side nav a[aria-current] svg{color:var(--accent)}
.side nav .count{margin-left:auto;min-width:20px;padding:0 6px;border-radius:99px;background:var(--major);color:#fff;font:600 .75rem/1.6 var(--sans);text-align:center}
.side .foot{margin-top:auto;padding-top:10px;display:grid;gap:5px}
.themes{display:flex;gap:2px;margin:2px 10px;padding:2px;border:1px solid var(--line);border-radius:8px;background:var(--sunk)}
.themes button.plain{flex:1;min-height:26px;padding:2px 6px;border:0;border-radius:6px;background:none;color:var(--muted);font:560 var(--small)/1.4 var(--sans)}
.themes button.plain:hover{color:var(--text)}
.themes button.plain[aria-pressed=true]{background:var(--surface);color:var(--text);box-shadow:0 0 0 1px var(--line)}
.side .who{padding:0 10px;color:var(--muted);font-size:var(--small)}
.workspace{position:relative;margin-bottom:6px}
.workspace summary{display:flex;align-items:center;justify-content:space-between;gap:8px;padding:8px 10px;border:1px solid var(--line);border-radius:8px;cursor:pointer;list-style:none;font-weight:600}
.workspace summary::-webkit-details-marker{display:none}
.workspace summary:hover{background:var(--sunk)}
.workspace summary>[title]{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.workspace summary .long,.shortened .long{display:inline}
.workspace .menu{position:absolute;z-index:20;inset-inline:0;top:calc(100% + 4px);max-height:60vh;overflow:auto}
.menu{padding:6px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);box-shadow:var(--shadow)}
.menu a,.menu button{display:block;width:100%;padding:7px 10px;border:0;border-radius:6px;background:none;color:var(--text);font:500 .9375rem/1.4 var(--sans);text-align:start;text-decoration:none;cursor:pointer}
.menu a:hover,.menu button:hover{background:var(--sunk);filter:none}
.top{display:none}
.main{min-width:0;padding:16px clamp(16px,3vw,40px) 80px;max-width:1560px}
.main:focus{outline:none}
.live{display:flex;align-items:center;gap:8px;padding:0 10px;color:var(--muted);font-size:var(--small)}
.live i{width:8px;height:8px;border-radius:50%;background:var(--unknown)}
.live[data-state=live] i{background:var(--operational)}
.live:is([data-state=reconnecting],[data-state=stale]) i{background:var(--degraded)}
.live[data-state=ended] i{background:var(--major)}
.top .live{margin-inline-start:auto}
.sheet .live{display:none}
@media(max-width:25rem){.top .live[data-state=live] span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.top:has(.live:not([hidden],[data-state=live])) .brand{gap:0;font-size:0}}
@media(max-width:18rem){.top .brand{gap:0;font-size:0}}

.head{display:flex;flex-wrap:wrap;align-items:flex-start;justify-content:space-between;gap:12px 24px;margin-bottom:20px}
.head>div{min-width:0;max-width:100%}
.head h1{font:680 1.5rem/1.25 var(--sans);letter-spacing:-.02em}
.head .note{margin-top:4px;max-width:75ch}
.head .actions{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.crumbs{display:flex;flex-wrap:wrap;align-items:baseline;gap:6px;margin-bottom:6px;color:var(--muted);font-size:var(--note)}
.crumbs a{display:inline-block;min-height:24px;color:var(--muted);text-decoration:none}
.crumbs a:hover{color:var(--text);text-decoration:underline}
.side .foot>form:last-child{padding-inline:10px}
.foot>[data-shortcuts]{justify-self:start;margin-inline:10px}
.notice{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 20px;margin-bottom:18px;padding:10px 16px;border:1px solid var(--line);border-left:3px solid var(--operational);border-radius:var(--radius);background:var(--surface)}
.notice.is-ended,.notice.is-bad{border-left-color:var(--major)}.notice.is-warn{border-left-color:var(--degraded)}
.wrong{padding:11px 15px;border:1px solid color-mix(in srgb,var(--major) 40%,var(--line));border-left:3px solid var(--major);border-radius:var(--radius);background:var(--surface)}
.wrong b{display:block}
.unsent{display:grid;gap:12px;margin-bottom:22px}
.typed{display:grid;gap:2px 16px;max-height:60vh;overflow:auto;padding:12px 14px;border:1px solid var(--line);border-radius:var(--radius);background:var(--sunk)}
.typed dt{color:var(--muted);font-size:var(--note)}
.typed dd{margin-bottom:8px;white-space:pre-wrap;unicode-bidi:plaintext}

@media(max-width:56.25rem){
.shell{display:block}
.side{display:none}
.top{position:sticky;top:0;z-index:30;display:flex;align-items:center;justify-content:space-between;gap:8px;padding:8px 12px;border-bottom:1px solid var(--line);background:var(--surface)}
.top .brand{min-height:40px}
.top details>summary{display:flex;align-items:center;min-height:40px;padding:4px 12px;border:1px solid var(--line);border-radius:8px;list-style:none;font-weight:600;cursor:pointer}
.top details>summary::-webkit-details-marker{display:none}
.top details[open]>.sheet{position:absolute;inset-inline:0;top:100%;max-height:calc(100vh - 60px);overflow:auto;padding:10px 14px 24px;border-bottom:1px solid var(--line);background:var(--surface);box-shadow:var(--shadow)}
.top .sheet nav a{display:flex;align-items:center;gap:12px;min-height:44px;padding:6px 8px;border-radius:8px;color:var(--text);font-weight:500;text-decoration:none}
.top .sheet nav a[aria-current]{background:var(--sunk);font-weight:650}
.top .sheet nav svg{width:18px;height:18px;color:var(--muted)}
.top .sheet h2{margin:12px 8px 2px;color:var(--muted);font:600 .75rem/1.4 var(--sans)}
.top .sheet .themes{max-width:320px;margin:10px 8px}
.top .sheet .themes button.plain{min-height:40px}
.main{padding-top:16px}
.crumbs{margin-bottom:0}
.crumbs a{padding-block:6px}
}
@media(prefers-reduced-motion:reduce){*,*::before,*::after{animation-duration:.01ms!important;transition:none!important;scroll-behavior:auto!important}}
`
