/** Rules of the views of status pages. */
export const pageStyle = `
.editor{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:22px;align-items:start}
.editor>[data-island]{display:grid;grid-template-columns:minmax(0,1fr);gap:22px;position:sticky;top:16px}
@media(max-width:67.5rem){.editor{grid-template-columns:minmax(0,1fr)}.editor>[data-island]{display:contents}
.editor #preview{order:-1;position:sticky;top:0;z-index:5;box-shadow:var(--shadow)}
.editor #preview .page-preview{height:clamp(170px,32vh,320px)}.editor #preview header{padding-block:6px}.editor .preview-note{display:none}
.editor .stack{order:0}.editor #contrast{order:1}
.unpublished details{max-height:20vh}html:has(.unpublished){scroll-padding-top:calc(110px + 32vh)}}
@media(max-width:56.25rem){.editor #preview{top:57px}}
@media(max-width:35rem){.editor #preview .page-preview{height:clamp(120px,21vh,200px)}.unpublished{padding-block:8px}html:has(.unpublished){scroll-padding-top:calc(110px + 21vh)}}
.unpublished{position:sticky;bottom:0;z-index:4;display:flex;flex-wrap:wrap;align-items:center;gap:6px 14px;padding:12px 0;border-top:1px solid var(--line);background:var(--surface)}
.unpublished>p{font-weight:600;font-size:.9375rem}
.unpublished details{flex-basis:100%;max-height:40vh;overflow:auto}
html:has(.unpublished){scroll-padding-bottom:110px}
.unpublished li{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;padding:5px 0;overflow-wrap:anywhere}
.unpublished li button{margin-inline-start:auto}
.unpublished li pre{flex-basis:100%;max-height:160px}
.unpublished del{color:var(--muted)}
.unpublished ins{text-decoration:none;font-weight:560}
.classes dt{white-space:nowrap}
.presets>div{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px}
@media(max-width:35rem){.presets>div{grid-template-columns:1fr 1fr}}
.presets label{display:grid;gap:6px;padding:8px;border:1px solid var(--line);border-radius:8px;cursor:pointer;font-size:var(--note)}
.presets label:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.presets svg{width:100%;height:auto;border-radius:5px;border:1px solid var(--line)}
.presets input{justify-self:start}
.presets .note{display:block}
.page-preview{display:grid;overflow:hidden;height:clamp(360px,calc(100vh - 330px),760px);background:var(--sunk);border-bottom:1px solid var(--line)}
.page-preview iframe{display:block;border:0;background:#fff;transform-origin:0 0}
.page-preview[data-width=desktop] iframe{width:200%;height:200%;transform:scale(.5)}
.page-preview[data-width=phone] iframe{width:390px;height:111.2%;max-width:none;margin-inline:calc((100% - 390px)/2);transform:scale(.9);transform-origin:50% 0}
.preview-note{padding:10px 18px}
[data-widths] a{padding:3px 10px;border-radius:6px;color:var(--muted);font-size:var(--note);font-weight:560;text-decoration:none}
[data-widths] a[aria-current]{background:var(--sunk);color:var(--text)}
.contrasts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(240px,100%),1fr));gap:18px}
.contrast{font-size:var(--note)}
.contrast th,.contrast td{padding:5px 8px 5px 0;overflow-wrap:anywhere}
.contrast tbody th{display:flex;align-items:center;gap:8px;font-weight:500}
@media(max-width:21.25rem){.contrast tbody th{flex-wrap:wrap;gap:2px 8px}}
.contrasts summary{cursor:pointer;padding:2px 0}
.weak{color:var(--bad-text)}
.swatch{display:flex;gap:8px}
.sections{display:grid;gap:16px}
.empty-group{padding:12px 18px}
[data-list]{min-height:12px}
[data-component]{flex-wrap:nowrap!important;justify-content:flex-start!important}
[data-component]>div{flex:1 1 auto;min-width:0}
[data-component][draggable=true]{cursor:grab}
[data-component].dragging{opacity:.45}
[data-component].over{box-shadow:inset 0 2px 0 var(--accent)}
@media(max-width:35rem){[data-component]{flex-wrap:wrap!important}[data-component]>div{flex-basis:calc(100% - 48px)}}
.grip{flex:none;color:var(--muted);cursor:grab}
[data-component]>.buttons{flex:none;flex-wrap:nowrap}
.stages{display:grid;gap:24px;counter-reset:stage}
.stages>li{position:relative;padding-inline-start:42px;counter-increment:stage}
.stages>li>*+*{margin-top:10px}
.stages>li::before{content:counter(stage);position:absolute;inset-inline-start:0;top:0;display:grid;place-items:center;width:28px;height:28px;border:1px solid var(--line);border-radius:50%;font:600 .875rem/1 var(--sans)}
.stages>li.is-done::before{content:"✓";border-color:var(--operational);color:var(--good-text)}
.stages>li.is-now::before{border-color:var(--accent);color:var(--accent)}
.stages h2{font:640 1rem/1.6 var(--sans)}
.remove>summary{color:var(--bad-text);cursor:pointer;min-height:24px}
`
