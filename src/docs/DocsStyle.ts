/** The styles of the reference, on top of the style sheet of the status pages. */
export const docsStyle = `
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 20px;padding:14px 24px;border-bottom:1px solid var(--line);background:var(--surface);font-size:.9375rem}
.head .home{margin-right:auto;align-self:center;color:var(--text);font-weight:680;text-decoration:none}
.head{align-items:center}
.search{display:flex;gap:8px}
.search input{width:260px;max-width:100%;min-width:0;padding:7px 10px;border:1px solid var(--line);border-radius:8px;background:var(--bg);color:var(--text);font:inherit}
.search button,.copy{padding:6px 12px;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--text);font:inherit;font-size:.8125rem;cursor:pointer}
.search button:hover,.copy:hover{border-color:var(--muted)}
.columns{display:grid;grid-template-columns:272px minmax(0,860px);justify-content:center;gap:0 48px;padding:0 24px}
nav{position:sticky;top:0;max-height:100vh;overflow:auto;padding:24px 4px 48px;font-size:.875rem;scrollbar-width:thin}
nav summary{font-weight:640;cursor:pointer}
nav h2{margin:18px 0 4px;font-size:.8125rem;font-weight:640}
nav ul{margin-top:6px}
nav h2 a{color:var(--text)}
nav a[aria-current]{color:var(--accent)}
nav a{display:block;padding:2px 0;color:var(--muted);text-decoration:none}
nav a:hover{color:var(--text)}
.entry a{font-family:var(--mono);font-size:.8125rem}
.dot{display:inline-block;width:7px;height:7px;margin-right:8px;border-radius:50%;background:var(--c)}
.m-get,.m-head{--c:var(--maintenance)}.m-post{--c:var(--operational)}.m-patch,.m-put{--c:var(--degraded)}.m-delete{--c:var(--major)}
main{min-width:0;padding:32px 0 96px}
main section{margin-top:0}
main h1{font:680 2rem/1.2 var(--heading);letter-spacing:-.02em}
main h2{margin:44px 0 12px;font:660 1.5rem/1.3 var(--heading);letter-spacing:-.015em}
main h2 a,main h3 a{color:inherit;text-decoration:none}
main h2 a:hover,main h3 a:hover{text-decoration:underline}
main p{margin-top:12px}
.lead{color:var(--muted);font-size:1.0625rem}
main section,.operation,.schema{scroll-margin-top:12px}
.points{margin-top:12px;padding-left:20px;list-style:disc}
.points li{margin-top:6px}
code{font-family:var(--mono);font-size:.875em}
p code,li code,td code{padding:1px 5px;border-radius:5px;background:color-mix(in srgb,var(--muted) 13%,transparent)}
html{scroll-behavior:auto}
pre{margin:0;padding:14px 16px;overflow-x:auto;font-size:.875rem;line-height:1.55;white-space:pre-wrap;overflow-wrap:anywhere}
.sample{margin-top:16px;border:1px solid var(--line);border-radius:10px;background:var(--surface);overflow:hidden}
.sample figcaption{padding:8px 16px;border-bottom:1px solid var(--line);color:var(--muted);font-size:.8125rem}
.operation,.schema{margin-top:28px;padding:24px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
.operation:target,.schema:target{border-color:var(--accent)}
.operation .sample{background:var(--bg)}
main h3{font:640 1.125rem/1.4 var(--heading)}
.operation h2,.schema h2{margin:0;font:640 1.125rem/1.4 var(--heading)}
.steps-of,.pages-of{margin-top:14px;padding-left:24px;list-style:decimal}
.steps-of li{margin-top:10px;padding-left:4px}
.steps-of b,.guide p b{font-weight:620}
.where{display:inline-block;font-family:var(--mono);font-size:.8125rem;overflow-wrap:anywhere}
.pages-of li{margin-top:14px;padding-left:4px}
.pages-of a{font-weight:620}
.pages-of p{margin-top:2px;color:var(--muted)}
.around{display:flex;flex-wrap:wrap;justify-content:space-between;gap:8px 24px;margin-top:48px;padding-top:18px;border-top:1px solid var(--line)}
.operations{margin-top:8px}
.operations li{margin-top:6px;scroll-margin-top:12px}
.operations a{font-family:var(--mono);font-size:.875rem;margin-right:8px}
.hits{margin-top:20px;padding-left:20px}
.hits li{margin-top:16px}
.hits p{margin-top:2px;color:var(--muted);font-size:.9375rem;overflow-wrap:anywhere}
.about{color:var(--muted);font-size:.875rem}
.examples{margin-top:16px;border:1px solid var(--line);border-radius:10px;background:var(--bg);overflow:hidden}
.examples details+details{border-top:1px solid var(--line)}
.examples summary{padding:8px 16px;color:var(--muted);font-size:.8125rem;cursor:pointer}
.examples details[open] summary{color:var(--text)}
.examples details,.sample,.answer details{position:relative}
.examples pre{padding-top:4px}
.copy{position:absolute;top:5px;right:8px;padding:1px 10px;font-size:.75rem}
.call{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px}
.call .path{padding:0;overflow-wrap:anywhere;background:none;font-size:.9375rem}
.method{padding:1px 8px;border-radius:6px;background:color-mix(in srgb,var(--c) 20%,var(--surface));font:640 .75rem/1.7 var(--mono)}
.scope{margin-left:auto;padding:1px 10px;border:1px solid var(--line);border-radius:99px;color:var(--muted);font-size:.8125rem}
.operation .tool{margin-top:6px;color:var(--muted);font-size:.875rem}
.scroll{margin-top:16px;overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.9375rem;line-height:1.5}
caption{padding-bottom:6px;color:var(--muted);font-size:.8125rem;text-align:left}
th,td{padding:8px 16px 8px 0;border-top:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{border-top:0;color:var(--muted);font-size:.8125rem}
.fields th{width:30%}
.fields .type{width:30%;color:var(--muted)}
.fields th code{padding:0;background:none;font-size:.875rem}
.needed{display:block;color:var(--accent);font-size:.75rem}
small{display:block;font-size:.8125rem}
.answer{margin-top:14px}
.answer summary{cursor:pointer;color:var(--muted);font-size:.9375rem}
.answer pre{margin-top:10px;max-height:420px;overflow:auto;border:1px solid var(--line);border-radius:10px;background:var(--bg)}
.failures{color:var(--muted);font-size:.875rem}
@media(max-width:56.25rem){
.columns{display:block;padding:0 16px}
nav{position:static;max-height:none;padding:16px 0 0}
.head{gap:8px 14px;padding:12px 16px;font-size:.875rem}.search{order:1;width:100%}.search input{flex:1}
main{padding-top:20px}
.operation,.schema{padding:18px 16px}
.fields,.fields caption,.fields tbody,.fields tr,.fields th,.fields td{display:block;width:100%}
.fields tr{padding:10px 0;border-top:1px solid var(--line)}
.fields th,.fields td,.fields .type{width:100%;padding:1px 0;border:0}
.needed{display:inline;margin-left:8px}
.scope{margin-left:0}
}
@media print{nav,.head .search,.head a:not(.home),.copy,.around{display:none}.columns{display:block;padding:0}main{padding:12px 0 0}
main h2{margin-top:24px}pre,.sample,li,tr{break-inside:avoid}h1,h2,h3,figcaption{break-after:avoid}html,body{font-size:13px}}
`.replaceAll("\n", "")
