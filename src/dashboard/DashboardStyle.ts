/** The style sheet that dashboard pages add to the one of status pages. */
export const dashboardStyle = `
.gate{max-width:460px;padding-block:9vh 60px}
.gate .brand,.bar .brand{display:inline-flex;align-items:center;gap:9px;color:var(--text);text-decoration:none}
.brand svg{width:22px;height:22px;color:var(--accent)}
.gate .card{margin-top:22px;padding:28px}
.gate h1,.app h1{font:680 1.5rem/1.25 var(--heading);letter-spacing:-.02em}
.gate .card>*+*{margin-top:16px}
.gate.wide{max-width:760px}
.gate.wide h2{margin-top:26px;font:640 1.125rem/1.3 var(--heading)}
.gate.wide li{overflow-wrap:anywhere}
.gate.wide li+li{margin-top:6px}
.gate.wide .columns{gap:10px 18px}
.gate.wide .columns li{margin:0}
.gate .note,.app .note{font-size:.9375rem}
.bar{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:10px 24px;padding-block:18px}
.bar nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:center}
.bar nav a{color:var(--muted);text-decoration:none;font-size:.9375rem}
.bar nav a:hover{color:var(--text);text-decoration:underline}
.bar nav a[aria-current]{color:var(--text);font-weight:600}
.app{padding-bottom:72px}
.app h1{margin-top:20px}
.app h1+.note{margin-top:6px}
.app .card{padding:20px}
.app .card>*+*{margin-top:14px}
.app .card.rows{padding:0}
.rows>li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 20px;padding:14px 20px}
.rows>li+li{border-top:1px solid var(--line);margin-top:0}
.rows>li>div{min-width:0;flex:1 1 260px}
.rows b{font-weight:580}
.rows p{color:var(--muted);font-size:.9rem}
.rows a{font-weight:560;text-decoration:none}
.rows a:hover{text-decoration:underline}
.tag{display:inline-block;margin-left:8px;padding:1px 8px;border:1px solid var(--line);border-radius:99px;color:var(--muted);font-size:.8125rem;font-weight:500;vertical-align:1px}
label{display:block;font-weight:580;font-size:.9375rem}
label span{display:block;color:var(--muted);font-weight:400;font-size:.875rem}
input{display:block;width:100%;margin-top:6px;padding:10px 13px;border:1px solid color-mix(in srgb,var(--muted) 55%,var(--line));border-radius:9px;background:var(--bg);color:var(--text);font:inherit}
input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
input[inputmode=numeric],.codes{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.06em}
form{margin:0}
form>*+*{margin-top:14px}
button,.button{display:inline-block;padding:10px 18px;border:1px solid transparent;border-radius:9px;background:var(--accent);color:var(--surface);font:600 .9375rem/1.4 var(--sans);text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}
.wide button,.wide.button,.wide .button{width:100%}
.plain button,button.plain{border-color:color-mix(in srgb,var(--muted) 45%,var(--line));background:transparent;color:var(--text)}
.danger button,button.danger{border-color:color-mix(in srgb,var(--major) 55%,var(--line));background:transparent;color:var(--major)}
button.link{padding:0;border:0;background:none;color:var(--muted);font-weight:400;text-decoration:none}
button.link:hover{color:var(--text);text-decoration:underline;filter:none}
.or{display:flex;align-items:center;gap:12px;color:var(--muted);font-size:.875rem}
.or::before,.or::after{content:"";flex:1;height:1px;background:var(--line)}
.wrong,.good{padding:11px 15px;border:1px solid var(--line);border-left:3px solid var(--major);border-radius:9px;background:var(--surface);font-size:.9375rem}
.good{border-left-color:var(--operational)}
.app>.wrong,.app>.good{margin-top:18px}
.codes{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:8px 20px;font-size:1rem}
.qr{width:196px;padding:8px;border-radius:9px;background:#fff}
.qr svg{width:100%;height:auto}
.secret{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9375rem;word-break:break-all}
.inline{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end}
.inline>*{margin-top:0}
.inline label{flex:1 1 220px}
.letter{white-space:pre-wrap;font:inherit;margin:0}
.facts{display:grid;grid-template-columns:minmax(110px,max-content) 1fr;gap:8px 24px}
.app .facts>*{margin-top:0}
.after{margin-top:16px}
.steps{display:grid;gap:8px;padding-left:20px;list-style:decimal}
.so-far{padding-top:18px;border-top:1px solid var(--line)}
.so-far h2{font:640 1.0625rem/1.35 var(--heading)}
.so-far section{margin-top:16px}
.so-far h3{font:600 .9375rem/1.4 var(--sans)}
.done{margin-top:4px}
.done li{padding:3px 0;overflow-wrap:anywhere}
.done b{font-weight:560}
.done time{white-space:nowrap}
.facts dt{color:var(--muted)}
.facts dd{margin:0;min-width:0}
@media(max-width:640px){.bar nav ul{gap:4px 14px}.bar nav a,.bar button.link{font-size:.875rem}.gate{padding-block:28px}.gate .card{padding:22px 18px}.rows>li{padding:14px 16px}.app .card{padding:18px 16px}.app .card.rows{padding:0}}
`.replaceAll("\n", "")
