/** The style sheet of the forms of status pages: subscribing, managing a subscription, and a page's password. */
export const formStyle = `
.button{display:inline-block;padding:9px 17px;border:0;border-radius:min(var(--radius),10px);background:var(--accent);color:var(--surface);font:600 .9375rem/1.45 var(--sans);text-align:center;text-decoration:none;cursor:pointer}
.button:hover{filter:brightness(1.08)}
.form>*+*{margin-top:16px}
.form fieldset{min-width:0;margin-inline:0;margin-bottom:0;padding:0;border:0}
.form legend{padding:0;font-weight:580;font-size:.9375rem}
.kinds label{display:inline-block;margin:8px 6px 0 0;cursor:pointer}
.kinds input{position:absolute;opacity:0}
.kinds span{display:block;padding:6px 13px;border:1px solid color-mix(in srgb,var(--muted) 45%,var(--line));border-radius:99px;font-size:.9375rem}
.kinds span:hover{border-color:var(--accent)}
.kinds :checked+span{border-color:var(--accent);background:color-mix(in srgb,var(--accent) 13%,transparent);box-shadow:inset 0 0 0 1px var(--accent);font-weight:580}
.kinds :focus-visible+span{outline:2px solid var(--accent);outline-offset:2px}
.field{display:block;font-weight:580;font-size:.9375rem}
.field input{display:block;width:100%;margin-top:6px;padding:10px 13px;border:1px solid color-mix(in srgb,var(--muted) 70%,var(--line));border-radius:min(var(--radius),10px);background:var(--bg);color:var(--text);font:1rem/1.4 var(--sans)}
.form:has([value=email]:checked) .to-url,.form:has([name=type]):not(:has([value=email]:checked)) .to-email,.hint{display:none}
.form:has([value=slack]:checked) .to-slack,.form:has([value=discord]:checked) .to-discord,.form:has([value=webhook]:checked) .to-webhook{display:block;margin-top:8px}
.form:has([name=type]):not(:has([value=webhook]:checked)) .kind-components{display:none}
.check{display:flex;align-items:center;gap:10px;padding:5px 0;cursor:pointer}
.check input{flex:none;width:18px;height:18px;margin:0;accent-color:var(--accent)}
.choices .note{margin:2px 0 8px}
.choices summary{padding:7px 0;font-weight:580;cursor:pointer}
.choices details>.check{margin-inline-start:18px}
.check,.check>bdi{min-width:0}
.dialog{width:min(480px,calc(100vw - 32px));padding:26px;border:1px solid var(--line);border-radius:calc(var(--radius) + 4px);background:var(--surface);color:var(--text);box-shadow:0 24px 80px rgb(0 0 0/.32)}
.dialog::backdrop{background:rgb(0 0 0/.45)}
.dialog>*+*{margin-top:18px}
.dialog-head{display:flex;align-items:flex-start;justify-content:space-between;gap:16px}
.dialog h2{font:650 1.1875rem/1.35 var(--heading)}
.x{flex:none;width:32px;height:32px;margin:-4px -8px 0 0;border:0;border-radius:8px;background:none;color:var(--muted);font:400 1.5rem/1 var(--sans);cursor:pointer}
.x:hover{color:var(--text);background:color-mix(in srgb,var(--muted) 14%,transparent)}
.feeds{display:flex;flex-wrap:wrap;gap:4px 16px;padding-top:16px;border-top:1px solid var(--line);color:var(--muted);font-size:.9375rem}
.sheet,.sheet-top{max-width:540px}
.sheet{padding-block:8px 40px}
.sheet .card{padding:28px}
.sheet .card>*+*{margin-top:18px}
.sheet h1{font:660 1.375rem/1.3 var(--heading);letter-spacing:-.01em}
.wrong,.good{padding:11px 15px;border:1px solid var(--line);border-left:3px solid var(--major);border-radius:min(var(--radius),10px);font-size:.9375rem}
.good{border-left-color:var(--operational)}
.quiet{background:none;color:var(--muted);padding-inline:0;font-weight:400;text-decoration:underline;text-underline-offset:3px}
.secret{padding:10px 13px;border:1px solid var(--line);border-radius:min(var(--radius),10px);background:var(--bg);font:.875rem/1.5 var(--mono);overflow-wrap:anywhere;user-select:all}
@media(max-width:40rem){.sheet .card{padding:22px 18px}.dialog{padding:22px 18px}}
`.replaceAll("\n", "")
