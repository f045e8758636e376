/** Rules for the pages of those who are not signed in. */
export const outsideStyle = `
.gate{box-sizing:content-box;max-width:460px;margin-inline:auto;padding:9vh 16px 60px}
.gate.wide{max-width:760px}
.gate .panel{margin-top:22px;padding:28px}
.gate .panel>*+*,.gate form>*+*{margin-top:16px}
.gate h1{font:680 1.5rem/1.25 var(--sans);letter-spacing:-.02em}
.gate h2{font:640 1.125rem/1.3 var(--sans)}
.gate h3{font:600 .9375rem/1.4 var(--sans)}
.gate :is(button,.button){width:100%;min-height:48px;white-space:normal}
.gate label{display:block;font-weight:600}
.gate label>input{margin-top:6px}
.gate label.choice{display:flex;align-items:baseline;gap:10px;font-weight:400}
.gate label.choice>input{margin-top:0}
.gate fieldset>legend{font-weight:600}
.gate details>fieldset{margin-top:12px}
.gate .or{display:flex;align-items:center;gap:12px;color:var(--muted);font-size:var(--note)}
.gate .or::before,.gate .or::after{content:"";flex:1;height:1px;background:var(--line)}
.gate .steps{display:grid;gap:8px;padding-left:20px;list-style:decimal}
.gate li{overflow-wrap:anywhere}
.gate ul:not(.columns)>li+li{margin-top:6px}
.so-far{padding-top:18px;border-top:1px solid var(--line)}
.so-far section{margin-top:16px}
.so-far ul{margin-top:4px}
.so-far time{white-space:nowrap}
@media(max-width:40rem){.gate{padding-block:28px}.gate .panel{padding:22px 18px}}
`
