/** Rules for buttons, fields and forms. */
export const controlStyle = `
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:7px;min-height:36px;padding:6px 14px;border:1px solid transparent;border-radius:8px;background:var(--accent);color:var(--on-accent);font:600 .9375rem/1.35 var(--sans);text-decoration:none;white-space:nowrap;cursor:pointer;transition:filter .12s,background .12s}
button:hover,.button:hover{filter:brightness(1.07)}
button svg,.button svg{width:16px;height:16px}
button.plain,.button.plain{border-color:color-mix(in srgb,var(--muted) 38%,var(--line));background:var(--surface);color:var(--text)}
button.plain:hover,.button.plain:hover{background:var(--sunk);filter:none}
button.danger,.button.danger{border-color:color-mix(in srgb,var(--major) 50%,var(--line));background:var(--surface);color:var(--bad-text)}
button.danger:hover,.button.danger:hover{background:color-mix(in srgb,var(--major) 9%,var(--surface));filter:none}
button.link{min-height:24px;padding:0;border:0;background:none;color:var(--accent);font-weight:500;text-decoration:underline;text-underline-offset:3px}
button.tight,.button.tight{min-height:30px;padding:3px 10px;font-size:.875rem}
[aria-busy=true] button{cursor:progress}
button[data-busy]::before{content:"";width:14px;height:14px;flex:none;border:2px solid;border-right-color:transparent;border-radius:50%;animation:turn .7s linear infinite}
@keyframes turn{to{transform:rotate(1turn)}}
#working{position:fixed;z-index:60;inset-inline:0;bottom:16px;display:flex;align-items:center;gap:12px;width:max-content;max-width:calc(100vw - 32px);margin-inline:auto;padding:9px 16px;border:1px solid var(--line);border-radius:99px;background:var(--surface);box-shadow:var(--shadow);font-size:.875rem;font-weight:560}
#working progress{width:90px;accent-color:var(--accent)}
button:disabled{opacity:.55;cursor:not-allowed}
form{margin:0}
.form{display:grid;gap:18px;max-width:720px}
.form.wide{max-width:none}
.field{display:grid;grid-template-columns:minmax(0,1fr);gap:5px;min-width:0}
.field>label,.legend{font-weight:600;font-size:.9375rem}
.field .hint{color:var(--muted);font-size:var(--note)}
.field .issue{color:var(--bad-text);font-size:var(--note);font-weight:550}
.field .optional{color:var(--muted);font-weight:400;font-size:var(--note)}
input,select,textarea{display:block;width:100%;min-height:38px;padding:7px 11px;border:1px solid color-mix(in srgb,var(--muted) 62%,var(--line));border-radius:8px;background:var(--surface);color:var(--text);font:inherit}
textarea{min-height:92px;resize:vertical;line-height:1.45}
textarea.code,input.code{font-family:var(--mono);font-size:.875rem}
.picker-lines{display:grid;gap:10px}
.picker-lines .inline{align-items:center}
.picker-lines .inline>select{flex:0 1 190px}
.picker-lines .inline:has(>.field){align-items:flex-start}
.amount{display:flex;align-items:center;gap:8px;white-space:nowrap}.amount input{width:84px}
.times{display:grid;gap:3px;margin-top:6px;padding-inline-start:22px;list-style:decimal;font-variant-numeric:tabular-nums}
.picker-lines .issue{color:var(--bad-text);font-size:var(--note)}
.snippets{width:auto;min-height:32px;margin-bottom:6px;padding-block:3px;font-size:.875rem}
.behind{position:absolute;width:1px;height:1px;min-height:0;padding:0;border:0;overflow:hidden;clip-path:inset(50%)}
[data-island=code]{position:relative;min-width:0}
input:focus-visible,select:focus-visible,textarea:focus-visible{outline:2px solid var(--accent);outline-offset:0;border-color:var(--accent)}
[aria-invalid=true]{border-color:var(--major)}
input[type=checkbox],input[type=radio]{width:18px;height:18px;min-height:0;flex:none;margin:0;accent-color:var(--accent)}
input[type=color]{width:52px;padding:3px}
.field>label.choice{font-weight:400}
.choice{display:flex;align-items:flex-start;gap:10px;padding:3px 0;font-size:.9375rem}
.choice input{margin-top:2px}
.choice .hint{display:block;font-weight:400;color:var(--muted);font-size:var(--note)}
.choices{display:flex;flex-wrap:wrap;gap:4px 20px}
.pick{position:relative;display:grid;gap:8px}
.picked{display:flex;flex-wrap:wrap;gap:6px}
.picked li{max-width:100%;display:inline-flex;align-items:center;gap:4px;min-width:0;padding:2px 2px 2px 10px;border:1px solid var(--line);border-radius:8px;background:var(--sunk);font-size:.9375rem}
.picked button.plain{min-width:28px;min-height:28px;padding:0 6px;border:0;background:none;color:var(--muted)}
.pick .found{position:absolute;z-index:10;inset-inline:0;top:100%;max-height:264px;margin-top:4px;overflow:auto;padding:6px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);box-shadow:var(--shadow)}
.found li{padding:7px 10px;border-radius:6px;cursor:pointer}
.found li[aria-selected=true],.found li:hover{background:var(--sunk)}
[data-island=filter]{display:grid;gap:6px}
[data-island=filter]{min-width:0}
[data-island=filter]>input{max-width:320px}
[data-island=filter] .choices{align-content:start;max-height:264px;overflow-y:auto;padding:8px 10px;border:1px solid var(--line);border-radius:8px}
.picker{max-height:420px;overflow-y:auto;border:1px solid var(--line);border-radius:8px}
.picker details+details{border-top:1px solid var(--line)}
.picker summary{padding:9px 12px;cursor:pointer;font-weight:600}
.pickable{display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px;min-height:40px;padding:2px 12px}
.pickable .choice{flex:1 1 210px;min-width:0;padding:8px 0}
.pickable select{flex:0 1 190px;width:auto;min-height:34px;padding-block:4px}
.pickable:not(:has(input:checked))>select{display:none}
.set-all{display:flex;flex-wrap:wrap;align-items:center;gap:6px 12px;font-weight:600;font-size:.9375rem}
.set-all select{width:auto}
.md-bar{display:flex;flex-wrap:wrap;gap:6px}
.md-both{display:grid;grid-template-columns:minmax(0,1fr);gap:14px}
.md-both>.field{align-content:start}
.md-shown{min-height:92px;max-height:70vh;overflow:auto;padding:12px 16px;border:1px solid var(--line);border-radius:8px;background:var(--sunk);font-size:.9375rem}
.md-both>.md-shown{max-height:calc(100vh - 120px)}
@media(min-width:73.75rem){.md-both{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.md-both>.md-shown{position:sticky;top:16px;align-self:start;min-height:240px}}
fieldset{display:grid;grid-template-columns:minmax(0,1fr);gap:12px;min-width:0;margin:0;padding:16px;border:1px solid var(--line);border-radius:var(--radius)}
fieldset>legend{padding:0 6px;font-weight:650}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(200px,100%),1fr));gap:14px 18px;align-items:start}
.columns:has(>.field>[type=datetime-local]){grid-template-columns:repeat(auto-fit,minmax(min(250px,100%),1fr))}
.columns.close{grid-template-columns:repeat(auto-fit,minmax(min(110px,100%),1fr));column-gap:10px}
.columns.close:has([type=time]){grid-template-columns:repeat(auto-fit,minmax(min(118px,100%),1fr))}
.inline{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end}
.inline .field{flex:1 1 180px}.inline .field:has([type=datetime-local]){flex-basis:250px}
.inline>select{flex:1 1 110px;width:auto}
.buttons{display:flex;flex-wrap:wrap;gap:10px;align-items:center}
.buttons>:is(button,.button),.body>.button-form>button{max-width:100%;white-space:normal}
.form>*{min-width:0}
details.more>summary{cursor:pointer;font-weight:600;padding:4px 0}
details.more[open]>summary{margin-bottom:14px}
.confirm>summary{max-width:100%;list-style:none;white-space:normal}
.table .confirm>summary{white-space:nowrap}
.confirm>summary::-webkit-details-marker{display:none}
.confirm[open]>.panel{margin-top:10px;max-width:560px}
.secret{display:flex;flex-wrap:wrap;align-items:center;gap:10px;padding:10px 12px;border:1px dashed color-mix(in srgb,var(--accent) 60%,var(--line));border-radius:8px;background:var(--sunk)}
.secret code{word-break:break-all}
`
