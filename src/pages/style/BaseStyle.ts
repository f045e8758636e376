/** The style sheet shared by all presets; colours, fonts and corner radii come from variables. */
import { markdownStyle } from "./MarkdownStyle.ts"

export const baseStyle = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:56px}
[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.55 var(--sans);overflow-wrap:break-word;-webkit-font-smoothing:antialiased}
h1,h2,h3,h4,p,ol,ul,figure{margin:0;padding:0}
ol,ul{list-style:none}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}
.wrap{width:100%;max-width:832px;margin:0 auto;padding:0 20px}
.skip{position:absolute;left:-9999px}
.skip:focus{left:16px;top:12px;z-index:9;padding:8px 14px;background:var(--surface);border-radius:8px}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg{display:block;flex:none}
.breaks,.long{overflow-wrap:anywhere}
.long{display:inline-block;min-width:9rem;vertical-align:top;text-decoration:inherit}
.cut{fill:none;stroke:var(--surface);stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}

.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:12px 24px;padding-block:28px}
.brand{min-width:0;font:650 1.25rem/1.3 var(--heading);letter-spacing:-.01em}
.brand a{color:inherit;text-decoration:none}
.brand img{display:block;max-height:40px;max-width:min(240px,70vw)}
.top nav ul,.foot ul{display:flex;flex-wrap:wrap;gap:6px 20px}
.top nav a,.foot a{color:var(--muted);text-decoration:none;font-size:.9375rem}
.aside{display:flex;flex-wrap:wrap;align-items:center;gap:10px 22px}
.top nav a:hover,.foot a:hover{color:var(--text);text-decoration:underline}

.s-operational{--s:var(--operational)}.s-degraded{--s:var(--degraded)}.s-partial_outage{--s:var(--partial)}
.s-major_outage{--s:var(--major)}.s-maintenance{--s:var(--maintenance)}.s-unknown{--s:var(--muted)}

.banner{display:flex;align-items:center;gap:20px;padding:28px;border:1px solid color-mix(in srgb,var(--s) 38%,var(--line));
border-radius:var(--radius);background:radial-gradient(130% 220% at 0 50%,color-mix(in srgb,var(--s) 17%,transparent),transparent 72%),var(--surface)}
.banner svg{width:44px;height:44px;color:var(--s)}
.banner h2{font:680 clamp(1.375rem,1.1rem + 1.6vw,1.875rem)/1.2 var(--heading);letter-spacing:-.02em}
.banner p{margin-top:5px;color:var(--muted);font-size:.9375rem}
.stuck{position:fixed;inset:0 0 auto;z-index:8;display:flex;align-items:center;justify-content:center;gap:9px;padding:10px 20px;border-bottom:1px solid color-mix(in srgb,var(--s) 45%,var(--line));
background:linear-gradient(color-mix(in srgb,var(--s) 14%,transparent),color-mix(in srgb,var(--s) 14%,transparent)),var(--surface);color:var(--text);font:620 .9375rem/1.4 var(--heading);text-decoration:none;box-shadow:0 4px 16px rgb(0 0 0/.08)}
.stuck svg{width:19px;height:19px;color:var(--s)}
.find{display:flex;flex-wrap:wrap;align-items:center;gap:6px 16px;margin-bottom:14px}
.find input{flex:1 1 240px;min-width:0;padding:10px 14px;border:1px solid color-mix(in srgb,var(--muted) 70%,var(--line));border-radius:min(var(--radius),10px);background:var(--surface);color:var(--text);font:1rem/1.4 var(--sans)}
.find input::placeholder{color:var(--muted);opacity:1}
.find p:empty{position:absolute}
.list>.row:not(.row:not([hidden])~.row){border-top:0}
.count{margin-inline-start:.6em;color:var(--muted);font:500 .875rem/1 var(--sans)}
.about{margin:20px 2px 0;color:var(--muted);max-width:65ch}
.warn{margin-top:16px;padding:12px 16px;border:1px solid var(--line);border-left:3px solid var(--degraded);border-radius:var(--radius);background:var(--surface);font-size:.9375rem}

section{margin-top:40px}
.label{margin-bottom:12px;font:640 1.0625rem/1.35 var(--heading);letter-spacing:-.005em}
.card{border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
.group{margin-top:16px}
.group>summary,.group>.head{display:flex;align-items:center;justify-content:space-between;gap:12px 16px;padding:16px 20px}
.group>summary{cursor:pointer;list-style:none;border-radius:var(--radius)}
.group>summary::-webkit-details-marker{display:none}
.group .title::after,.past summary b::after{display:inline-block;width:.42em;height:.42em;margin:0 0 .16em .6em;border:solid var(--muted);border-width:0 2px 2px 0;transform:rotate(45deg)}
.group>summary .title::after,.past summary b::after{content:""}
.group[open]>summary .title::after,.past [open] summary b::after{transform:rotate(-135deg);margin-bottom:-.06em}
.group h3{min-width:0;font:620 1rem/1.4 var(--heading)}
.group h3 .note{display:block;margin-top:2px;font:.875rem/1.55 var(--sans);letter-spacing:normal}
.group>.list{border-top:1px solid var(--line)}
.row{padding:18px 20px}
.row+.row{border-top:1px solid var(--line)}
.line{display:flex;align-items:flex-start;justify-content:space-between;gap:6px 20px}
.name{min-width:0;font:560 1rem/1.45 var(--sans)}
.bell{display:inline-block;width:1.5em;height:1.5em;margin:-.35em 0 -.35em .25em;vertical-align:-.02em;opacity:.55;background:var(--muted);
-webkit-mask:var(--bell) center/16px no-repeat;mask:var(--bell) center/16px no-repeat}
.bell:hover,.bell:focus-visible{opacity:1;background:var(--accent)}
.bell{--bell:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%23000' stroke-width='1.4' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='M3.2 11.5h9.6L11.6 9.6V6.9a3.6 3.6 0 0 0-7.2 0v2.7ZM6.7 13.7h2.6M8 1.7v1.6'/%3E%3C/svg%3E")}
.chart{margin-top:18px}
.chart figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px;color:var(--muted);font-size:.875rem}
.chart figcaption span:first-child{color:var(--text);font-weight:560}
.chart svg{width:100%;height:56px;margin-top:8px;overflow:visible;border-bottom:1px solid var(--line)}
.band{fill:color-mix(in srgb,var(--accent) 16%,transparent)}
.line50{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
.state{display:inline-flex;align-items:center;gap:7px;flex:none;max-width:60%;color:var(--muted);font-size:.9375rem;line-height:1.45}
.state svg{width:17px;height:17px;color:var(--s)}
.state b{font-weight:500}
.s-degraded.state,.s-partial_outage.state,.s-major_outage.state,.s-maintenance.state{color:var(--text)}
.note{color:var(--muted);font-size:.9375rem}

.bars{display:flex;gap:2px;height:34px;margin-top:12px;border-radius:4px}
.bars li{position:relative;flex:1 1 0;min-width:0;outline:0}
.bars li::before{content:"";position:absolute;inset:0;border-radius:2px;background:var(--b);transition:transform .12s}
.bars li:hover::before,.bars li:focus::before{transform:scaleY(1.14);filter:brightness(1.12)}
.o{--b:var(--operational)}.d{--b:var(--degraded)}.p{--b:var(--partial)}.m{--b:var(--major)}.w{--b:var(--maintenance)}
.n{--b:color-mix(in srgb,var(--unknown) 55%,var(--surface))}
.bars .d::before{top:26%}
.bars .p::before{background:linear-gradient(var(--b) 44%,transparent 44% 56%,var(--b) 56%)}
.bars .m::before{background:linear-gradient(var(--b) 27%,transparent 27% 37%,var(--b) 37% 63%,transparent 63% 73%,var(--b) 73%)}
.bars .n::before{top:58%}
.bars li:hover::after,.bars li:focus::after{content:attr(aria-label);position:absolute;bottom:calc(100% + 10px);left:50%;transform:translateX(-50%);z-index:5;
width:max-content;max-width:min(290px,78vw);padding:8px 12px;border-radius:8px;background:var(--text);color:var(--bg);font-size:.8125rem;line-height:1.4;text-align:center;pointer-events:none;box-shadow:0 6px 24px rgb(0 0 0/.22)}
.bars li:nth-child(-n+22):hover::after,.bars li:nth-child(-n+22):focus::after{left:0;transform:none}
.bars li:nth-last-child(-n+22):hover::after,.bars li:nth-last-child(-n+22):focus::after{left:auto;right:0;transform:none}
.scale{display:flex;align-items:center;gap:12px;margin-top:8px;color:var(--muted);font-size:.8125rem;line-height:1.4}
.scale span{overflow-wrap:normal}
.scale i{flex:1;height:1px;background:var(--line)}
.scale.few{display:none}

.incident header h3>*,.entry h3>*,.banner>div,.past summary>*,.line>*,.group>summary>*,.group>.head>*{min-width:0}
.incident{scroll-margin-top:16px;overflow:hidden}
.incident+.incident{margin-top:16px}
.incident header{padding:18px 20px;border-bottom:1px solid color-mix(in srgb,var(--s) 26%,var(--line));background:linear-gradient(90deg,color-mix(in srgb,var(--s) 13%,transparent),transparent 85%)}
.incident header h3{display:flex;align-items:flex-start;gap:10px;font:640 1.0625rem/1.4 var(--heading)}
.incident header h3 svg{width:20px;height:20px;margin-top:2px;color:var(--s)}
.incident header p{margin-top:4px;color:var(--muted);font-size:.9rem}
.steps{padding:18px 20px 20px}
.steps>li{position:relative;padding-left:24px}
.steps>li+li{margin-top:18px}
.steps>li::before{content:"";position:absolute;left:2px;top:.5em;width:9px;height:9px;border-radius:50%;background:var(--line)}
.steps>li:first-child::before{background:var(--s)}
.steps>li:not(:last-child)::after{content:"";position:absolute;left:6px;top:1.35em;bottom:-1.25rem;width:1px;background:var(--line)}
.steps>li>b{font-weight:620}
.steps time{display:inline-block;margin-inline-start:8px;color:var(--muted);font-size:.875rem}
.steps .md{margin-top:2px}
${markdownStyle}

.past h3{margin:22px 0 8px;color:var(--muted);font:560 .9375rem/1.4 var(--sans)}
.past details{scroll-margin-top:16px}
.past details+details{margin-top:10px}
.past summary{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px;padding:14px 20px;cursor:pointer;list-style:none;border-radius:var(--radius)}
.past summary::-webkit-details-marker{display:none}
.past summary b{font-weight:580}
.past summary span{color:var(--muted);font-size:.9rem}
.past .steps{border-top:1px solid var(--line)}

.embed{padding:8px}
.embed a{display:inline-flex;align-items:center;gap:8px;color:var(--text);text-decoration:none;font-size:.9375rem}
.embed a:hover{text-decoration:underline}
.embed svg{width:18px;height:18px;color:var(--s)}
.more{display:flex;flex-wrap:wrap;gap:6px 20px;margin-top:20px}
.incident header h3 a,.entry h3 a{color:inherit;text-decoration:none}
.incident header h3 a:hover,.entry h3 a:hover{text-decoration:underline}
.back{margin-bottom:14px;font-size:.9375rem}
.months{display:flex;align-items:center;justify-content:space-between;gap:12px;margin-bottom:20px}
.months a{font-size:.9375rem;color:var(--accent)}
.title1{font:680 clamp(1.375rem,1.1rem + 1.6vw,1.875rem)/1.25 var(--heading);letter-spacing:-.02em}
.entry{padding:18px 20px}
.entry+.entry{margin-top:12px}
.entry h3{display:flex;gap:10px;font:640 1.0625rem/1.4 var(--heading)}
.entry h3 svg{width:20px;height:20px;margin-top:2px;color:var(--s)}
.entry>p{margin:4px 0 0;color:var(--muted);font-size:.9rem}
.entry .md{margin-top:10px}

.foot{display:flex;flex-wrap:wrap;justify-content:space-between;gap:14px 32px;margin-top:64px;padding-block:28px 40px;border-top:1px solid var(--line);color:var(--muted);font-size:.9rem}
.foot p{white-space:pre-line}
.foot .by{color:var(--text);font-weight:600}
.alone{padding-block:18vh 40px;text-align:center}
.alone svg{width:44px;height:44px;margin:0 auto 20px;color:var(--muted)}
.alone h1{font:680 1.75rem/1.25 var(--heading);letter-spacing:-.02em}
.alone p{margin-top:10px;color:var(--muted)}
.welcome{padding-block:9vh 60px}
.welcome h1{font:680 2.25rem/1.2 var(--heading);letter-spacing:-.02em}
.welcome h2{margin:40px 0 12px}
.welcome p,.welcome li{margin-top:10px;color:var(--muted)}
.welcome ul{padding-left:20px;list-style:disc}
.welcome a{text-decoration:underline;text-underline-offset:3px}
.welcome code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em;color:var(--text)}
.command{margin-top:12px;padding:16px 18px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere}

@media(max-width:40rem){
.wrap{padding-inline:16px}.top{padding-block:20px}.aside{display:contents}.top>.aside>.button{order:1}.top nav{order:2;flex-basis:100%}.banner{gap:16px;padding:22px 18px}.banner svg{width:36px;height:36px}
section{margin-top:32px}.row,.group>summary,.group>.head,.incident header,.steps,.past summary{padding-left:16px;padding-right:16px}
.bars{gap:3px}.bars li:nth-last-child(n+31){display:none}
.bars li:hover::after,.bars li:focus::after{max-width:calc(50vw - 24px)}
.bars li:nth-last-child(n+16):hover::after,.bars li:nth-last-child(n+16):focus::after{left:0;right:auto;transform:none}
.bars li:nth-last-child(-n+15):hover::after,.bars li:nth-last-child(-n+15):focus::after{left:auto;right:0;transform:none}
.scale.all{display:none}.scale.few{display:flex}
}
@media(max-width:30rem){.steps time{display:block;margin:0}}
@media(max-width:25rem){.line,.group>summary,.group>.head{flex-wrap:wrap}.state{max-width:100%}.scale{flex-wrap:wrap;justify-content:space-between;gap:0 10px}.scale i,.scale i~i~span{display:none}}
@media(prefers-reduced-motion:reduce){*,*::before{transition:none!important;scroll-behavior:auto!important}}
@media(forced-colors:active){.bars li::before,.steps>li::before{forced-color-adjust:none}.button:not(.quiet){border:1px solid}.kinds :checked+span{outline:2px solid Highlight}}
@media print{.aside,.bell,.dialog,.foot,.more,.back,.months,.stuck,.find{display:none!important}.bars li::before,.steps>li::before,.steps>li::after{print-color-adjust:exact;-webkit-print-color-adjust:exact}
html,body{font-size:13px}.wrap{max-width:none;padding:0}.top{padding-block:0 14px}.banner{padding:14px 16px}.banner svg{width:32px;height:32px}.chart svg{height:40px}section{margin-top:20px}.chart,.group,.steps>li+li{margin-top:10px}.past h3{margin-top:14px}.row,.group>summary,.group>.head,.incident header,.steps,.past summary,.entry{padding-block:10px}
.row,.entry,.steps>li,.past summary{break-inside:avoid}h2,h3,.label,.group>summary,.group>.head,.incident header,.past summary{break-after:avoid}
details.group::details-content{content-visibility:visible}
.group>summary .title::after,.past summary b::after{content:none}
.banner time[title]:not([title=""]){font-size:0}.banner time[title]:not([title=""])::after{content:attr(title);font-size:.9375rem}
}
`.replaceAll("\n", "")
